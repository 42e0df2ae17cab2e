import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import type { Config } from '#platform/config/settings.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

const regions = { 'eu.test': 'europe', 'us.test': 'us' } as const

/** Sends a raw request. @returns the complete response. */
async function send({ url, apiKey }: TestService, target: string, headers: string[]): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let response = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text
  })
  const lines = [`GET ${target} HTTP/1.1`, ...headers, `authorization: Bearer ${apiKey}`, 'connection: close', '', '']
  socket.write(lines.join('\r\n'))
  await once(socket, 'close')
  return response
}

/** The regions that a key can use: those in which a request with these headers lists models. */
async function regionBy(service: TestService, headers: string[]): Promise<string> {
  for (const region of ['europe', 'us', 'global']) {
    const { body } = await service.manage('GET', '/workspaces')
    const guardrail = `/guardrails/${body.data[0].default_guardrail_id}`
    await service.manage('PATCH', guardrail, { allowed_data_regions: [region] })
    const response = await send(service, '/api/v1/models/user', headers)
    assert.match(response, /^HTTP\/1.1 200 /)
    if (!response.includes('"total_count":0')) return region
  }
  return 'none'
}

test('a request with two hosts is refused', async () => {
  await using service = await startTestService({ settings: { regions } })
  const { host } = new URL(service.url)
  const path = '/api/v1/models'
  const refused: [target: string, headers: string[]][] = [
    [path, ['host: eu.test', 'host: us.test']],
    [path, ['host: eu.test', 'Host: eu.test']],
    ['/api/v1/models/user', ['Host: us.test', 'x-a: b', 'HOST: eu.test']],
    [`http://eu.test${path}`, ['host: us.test']],
    [`http://eu.test:81${path}`, ['host: eu.test']],
    [`http://us.test@eu.test${path}`, ['host: us.test']],
    [path, []],
  ]
  for (const [target, headers] of refused) {
    const response = await send(service, target, headers)
    assert.match(response, /^HTTP\/1.1 400 [\s\S]*Host header/, `${target} ${headers}`)
  }
  for (const [target, header] of [
    [path, 'host: eu.test'],
    [`http://${host}${path}`, `host: ${host}`],
    [`http://EU.test${path}`, 'host: eu.test:80'],
    [`https://eu.test:443${path}`, 'host: eu.test'],
  ] as const)
    assert.match(await send(service, target, [header]), /^HTTP\/1.1 200 /, target)
})

describe('the host that a proxy says it was asked by', () => {
  test('is ignored unless a setting names the proxy', async () => {
    await using service = await startTestService({ settings: { regions } })
    assert.equal(
      await regionBy(service, ['host: us.test', 'x-forwarded-host: eu.test', 'forwarded: host=eu.test']),
      'us',
    )
    await using other = await startTestService({ settings: { regions, trusted_proxies: ['10.0.0.0/8', '::1'] } })
    assert.equal(await regionBy(other, ['host: us.test', 'x-forwarded-host: eu.test']), 'us')
  })

  test('is trusted from a named proxy only: the last value of the chosen header', async () => {
    const trusted_proxies = ['127.0.0.0/8']
    await using service = await startTestService({ settings: { regions, trusted_proxies } })
    const through = (...headers: string[]) => regionBy(service, ['host: inner.test', ...headers])
    assert.equal(await through('x-forwarded-host: eu.test:443'), 'europe')
    assert.equal(await through('x-forwarded-host: us.test, eu.test'), 'europe')
    assert.equal(await through('x-forwarded-host: us.test', 'x-forwarded-host: eu.test'), 'europe')
    assert.equal(await through('forwarded: host=eu.test'), 'global')
    assert.equal(await regionBy(service, ['host: us.test']), 'us')
  })

  test('can be sent in the standard header', async () => {
    const settings: Partial<Config> = { regions, trusted_proxies: ['127.0.0.1'], proxy_host_header: 'forwarded' }
    await using service = await startTestService({ settings })
    const through = (...headers: string[]) => regionBy(service, ['host: inner.test', ...headers])
    assert.equal(await through('forwarded: for=10.1.1.1;host="eu.test:443";proto=https'), 'europe')
    assert.equal(await through('forwarded: host=us.test, for=10.1.1.1; Host=eu.test'), 'europe')
    assert.equal(await through('x-forwarded-host: eu.test'), 'global')
  })
})
