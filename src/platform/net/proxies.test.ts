import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProxy, parseNoProxy, parseProxyUrl, proxyEnvironment, readProxies } from './proxies.ts'

const proxy = 'http://proxy.example:3128/'
const direct = (url: string, no_proxy: string) =>
  findProxy({ http_proxy: proxy, https_proxy: proxy, no_proxy: parseNoProxy(no_proxy) }, new URL(url)) === undefined

test('no_proxy matches hosts, domains, addresses and networks, each with a port', () => {
  const rows: [string, string, boolean][] = [
    ['https://api.example.com/', '', false],
    ['https://api.example.com/', '*', true],
    ['https://api.example.com/', 'example.com', true],
    ['https://example.com/', 'example.com', true],
    ['https://example.com./', 'example.com', true],
    ['https://example.com/', '.example.com', true],
    ['https://api.example.com/', '*.example.com', true],
    ['https://example.com/', '*.example.com', false],
    ['https://badexample.com/', 'example.com', false],
    ['https://API.example.com/', 'Api.Example.Com', true],
    ['https://api.example.com/', 'api.example.com:443', true],
    ['http://api.example.com/', 'api.example.com:443', false],
    ['http://gpu-1:8000/', 'gpu-1:8000', true],
    ['http://gpu-1:8001/', 'gpu-1:8000', false],
    ['http://10.1.2.3/', '10.0.0.0/8', true],
    ['http://11.1.2.3/', '10.0.0.0/8', false],
    ['http://10.1.2.3/', 'other.example 10.1.2.3', true],
    ['http://[fd00::1]/', 'fd00::/8', true],
    ['http://[fd00::1]:8080/', '[fd00::1]:8080', true],
    ['http://[fd00::1]:8081/', '[fd00::1]:8080', false],
    ['http://[fd00::1]/', '[fd00::]/8', true],
    ['http://[fd00::1]/', 'FD00:0::1', true],
    ['http://10.1.2.3.example.com/', '10.0.0.0/8', false],
    ['http://gpu1/', '<local>', true],
    ['http://gpu1:8000/', 'other.example, <LOCAL>', true],
    ['http://gpu1.corp/', '<local>', false],
    ['http://10.1.2.3/', '<local>', false],
    ['http://[fd00::1]/', '<local>', false],
    ['https://a.b.corp/', '*.corp', true],
    ['https://corp/', '.corp', true],
    ['http://gpu-7.corp/', 'gpu-*.corp', true],
    ['http://gpu.corp/', 'gpu-*.corp', false],
    ['http://gpu-a.b-c.corp:1/', 'gpu-*b-*.corp:1', true],
    ['http://gpu-a.b-c.corp:2/', 'gpu-*b-*.corp:1', false],
    ['http://ab.corp/', 'ab*b.corp', false],
    ['http://api.corp/', 'other.example,*', true],
    ['http://b%C3%BCcher.example/', 'bücher.example', true],
    ['http://example.com/', '10.0.0.0/99, ,,not a network', false],
  ]
  for (const [url, entries, expected] of rows) assert.equal(direct(url, entries), expected, `${url} with ${entries}`)
})

test('loopback addresses are always reached directly', () => {
  for (const url of ['http://localhost/', 'http://a.localhost:1/', 'https://127.0.0.9/', 'http://[::1]:80/'])
    assert.equal(direct(url, ''), true, url)
})

test('each scheme has its proxy, from variables in both cases of letters', () => {
  const settings = readProxies({
    HTTPS_PROXY: 'a.example:1',
    https_proxy: ' http://b.example:2\n',
    HTTP_PROXY: '',
  })
  assert.equal(findProxy(settings, new URL('https://x.example/')), 'http://b.example:2/')
  assert.equal(findProxy(settings, new URL('http://x.example/')), undefined)
  assert.equal(readProxies({ HTTPS_PROXY: 'a.example:1' }).https_proxy, 'http://a.example:1/')
  assert.equal(parseProxyUrl('socks5://a.example'), undefined)
  assert.equal(parseProxyUrl('http://user:100%@a.example:1'), 'http://user:100%25@a.example:1/')
  assert.equal(parseProxyUrl('http://user:p%40ss@a.example:1'), 'http://user:p%40ss@a.example:1/')
})

test('programs of interns get the proxies, and reach the service directly', () => {
  const env = proxyEnvironment({ https_proxy: proxy, no_proxy: ['.internal'] }, 'http://box.example:8080/api/v1')
  assert.deepEqual(Object.keys(env).sort(), ['HTTPS_PROXY', 'NO_PROXY', 'https_proxy', 'no_proxy'])
  assert.equal(env.NO_PROXY, '.internal,localhost,127.0.0.1,::1,box.example')
  assert.equal(env.https_proxy, proxy)
  const excluded = (no_proxy: string[]) => proxyEnvironment({ http_proxy: proxy, no_proxy }, 'http://box').no_proxy
  assert.equal(excluded(['*.corp', '10.0.0.0/8']), '.corp,10.0.0.0/8,localhost,127.0.0.1,::1,box')
  assert.equal(excluded(['a.example', '*']), '*')
  assert.deepEqual(proxyEnvironment({ no_proxy: ['*'] }, 'http://box.example'), {})
})

test('entries in the forms of other programs are read', () => {
  for (const [text, entries] of [
    ['a;b|c', ['a', 'b', 'c']],
    ['10.*, 192.168.*.*, 192.168.1.*', ['10.0.0.0/8', '192.168.0.0/16', '192.168.1.0/24']],
    [
      'http://a.internal:80/x https://b.internal c.internal/ d.internal:',
      ['a.internal:80', 'b.internal', 'c.internal', 'd.internal'],
    ],
    [`"a.internal,b.internal" 'c.internal'`, ['a.internal', 'b.internal', 'c.internal']],
    ['fd00:: 10.0.0.0/8 *.internal *', ['fd00::', '10.0.0.0/8', '*.internal', '*']],
    [',;', []],
  ] as const)
    assert.deepEqual(parseNoProxy(text), entries)
})
