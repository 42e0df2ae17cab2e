import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'
import { pixel } from '#test/mcp/tools.ts'
import { tools } from '../tools/tools.ts'
import { createWebFetchTool } from '../tools/web_fetch.ts'
import { createAllowList } from './allow-list.ts'
import { fetchPage } from './fetch-page.ts'
import { htmlToText } from './html-text.ts'

type Answers = Record<string, { status?: number; type?: string; location?: string; body?: string | Buffer }>

async function startPages(responses: Answers) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.headers.host} ${request.url}`)
    const { status = 200, type = 'text/plain', location, body = '' } = responses[request.url ?? ''] ?? { status: 404 }
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    requests,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The result for an agent that fetches these pages one after another. */
async function fetching(hosts: string[], urls: string[], more: object = {}) {
  const script = urls.map((url) => [{ name: 'web_fetch', arguments: JSON.stringify({ url }) }])
  const { model, requests } = modelWithResponses([...script, 'done'])
  const settings = { model: 'm', instructions: () => '', maxSteps: 50 }
  const at = await newAgent({ model, settings, tools: [...tools, createWebFetchTool(hosts)], ...more })
  await at.prompt('go')
  return Object.assign(at, { requests })
}

test('a page is fetched with consent and returned as text', async () => {
  await using pages = await startPages({ '/': { type: 'text/html', body: '<h1>Hi</h1><p>A <a href="/b">link</a>.' } })
  await using at = await fetching(['127.0.0.1'], [`${pages.url}/`])
  assert.deepEqual(
    [at.permissionRequests[0]?.toolCall.kind, at.permissionRequests[0]?.toolCall.name],
    ['fetch', 'fetch'],
  )
  assert.match(at.results()[0] ?? '', /^\[http:.*: 200, text\/html, \d+ bytes\]\n# Hi\n\nA link \(\/b\)\.$/)
})

test('without consent nothing is fetched', async () => {
  await using pages = await startPages({ '/': {} })
  await using at = await fetching(['127.0.0.1'], [`${pages.url}/`], { permission: () => 'reject_once' })
  assert.match(at.results()[0] ?? '', /did not allow this/)
  assert.deepEqual(pages.requests, [])
})

test('a client with rules judges a page once, in self-drive too', async () => {
  await using pages = await startPages({ '/': {} })
  const clientCapabilities = { _meta: { signalbox: { judges: true } } }
  const { model } = modelWithResponses([
    [{ name: 'web_fetch', arguments: JSON.stringify({ url: `${pages.url}/` }) }],
    'done',
  ])
  await using at = await newAgent({
    model,
    settings: { model: 'm', instructions: () => '', maxSteps: 5 },
    tools: [createWebFetchTool(['127.0.0.1'])],
    mode: 'self-drive',
  })
  await at.agent.request('initialize', { protocolVersion: 1, clientCapabilities })
  await at.prompt('go')
  assert.equal(at.permissionRequests.length, 1)
  assert.equal(pages.requests.length, 1)
})

test('an unlisted host is refused before its name is resolved', async () => {
  await using pages = await startPages({ '/': {} })
  const urls = [
    `${pages.url}/`,
    'https://example.com:8443/',
    'file:///etc/passwd',
    'https://u:p@example.com/',
    'nonsense',
  ]
  await using at = await fetching(['example.com'], urls)
  const [unlisted, port, file, user, none] = at.results()
  assert.match(unlisted ?? '', /127\.0\.0\.1:\d+ is not among the hosts.*Pages may be fetched from: example\.com\./)
  assert.match(port ?? '', /example\.com:8443 is not among/)
  assert.match(file ?? '', /only http:\/\/ and https:\/\//)
  assert.match(user ?? '', /with a user or password/)
  assert.match(none ?? '', /is not a URL/)
  assert.deepEqual([at.permissionRequests.length, pages.requests], [1, []])
})

test('a name with a private address is refused, unless the address is allowed too', async () => {
  await using pages = await startPages({ '/': { body: 'inside' } })
  const name = `pages.example:${pages.port}`
  const get = (hosts: string[], ...addresses: string[]) =>
    fetchPage(
      { allowedHosts: createAllowList(hosts), proxies: {}, resolve: async () => addresses },
      `http://${name}/`,
      new AbortController().signal,
    )
  for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['169.254.169.254']])
    await assert.rejects(get([name], ...addresses), /resolves to .*, which is not public and is not listed/)
  assert.deepEqual(pages.requests, [])
  const found = await get([name, '127.0.0.0/8'], '127.0.0.1')
  assert.equal('bytes' in found && found.bytes.toString(), 'inside')
  assert.deepEqual(pages.requests, [`${name} /`])
})

test('a redirect is followed on the same host, and reported for another host', async () => {
  await using pages = await startPages({
    '/a': { status: 302, location: '/b' },
    '/b': { body: 'there' },
    '/away': { status: 301, location: 'http://localhost:1/secret' },
    '/round': { status: 302, location: '/round' },
  })
  await using at = await fetching(
    ['127.0.0.1'],
    ['/a', '/away', '/round'].map((path) => pages.url + path).concat('http://localhost:1/secret'),
  )
  const [followed, otherHost, round, elsewhere] = at.results()
  assert.match(followed ?? '', /\/b: 200.*\nthere$/)
  assert.match(otherHost ?? '', /moved to another host: http:\/\/localhost:1\/secret/)
  assert.match(round ?? '', /redirects more than 5 times/)
  assert.match(elsewhere ?? '', /localhost:1 is not among the hosts/)
})

test('failures include the server’s message, and images are shown', async () => {
  await using pages = await startPages({
    '/no': { status: 403, body: 'go away' },
    '/p.png': { type: 'image/png', body: Buffer.from(pixel, 'base64') },
    '/bin': { body: Buffer.from([1, 0, 2]) },
  })
  const urls = ['/no', '/p.png', '/bin'].map((path) => pages.url + path)
  await using at = await fetching(['127.0.0.1'], [...urls, 'http://127.0.0.1:9/'], {
    checkImageInput: async () => true,
  })
  const [failed, , binary, missing] = at.results()
  assert.match(failed ?? '', /^Error: \[.*: 403, text\/plain, 7 bytes\]\ngo away$/)
  assert.match(binary ?? '', /\(no text\)/)
  assert.match(missing ?? '', /cannot be fetched: .*(ECONNREFUSED|bad port)/)
  const images = at.requests.at(-1)!.messages.flatMap((message) => (message.role === 'tool' && message.images) || [])
  assert.deepEqual(images, [{ mimeType: 'image/png', data: pixel }])
})

test('a long page is returned in parts, and an endless one is cut', async () => {
  await using pages = await startPages({ '/': { body: 'x'.repeat(6 * 1024 * 1024) } })
  await using at = await fetching(['127.0.0.1'], [`${pages.url}/`])
  assert.match(at.results()[0] ?? '', /5242880 bytes and more, which were not read\]\nx+/)
  assert.ok((at.results()[0] ?? '').length < 62_000)
})

const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<p>Größe', 'utf16le')])
const latin = (text: string) => Buffer.from(text, 'latin1')

test('a page in another character set than UTF-8 is decoded', async () => {
  await using pages = await startPages({
    '/header': { type: 'text/plain; charset=ISO-8859-1', body: latin('Größe') },
    '/meta': { type: 'text/html', body: latin('<head><meta charset="windows-1252"></head><p>Größe') },
    '/mark': { type: 'text/html', body: utf16 },
    '/unknown': { type: 'text/plain; charset=none', body: 'Größe' },
  })
  await using at = await fetching(
    ['127.0.0.1'],
    ['header', 'meta', 'mark', 'unknown'].map((path) => `${pages.url}/${path}`),
  )
  const texts = at.results().map((result) => result.split('\n').slice(1).join('\n'))
  assert.deepEqual(texts, ['Größe', 'Größe', 'Größe', 'Größe'])
})

for (const [entry, yes, no] of [
  ['*', ['https://a.example/', 'http://b.example/'], ['https://a.example:8443/', 'http://10.0.0.1:81/']],
  [
    '*.example.com',
    ['https://a.example.com/', 'https://b.a.example.com/'],
    ['https://example.com/', 'https://badexample.com/'],
  ],
  [
    'example.com',
    ['https://example.com/', 'https://EXAMPLE.com./'],
    ['https://example.com.evil.example/', 'https://a.example.com/'],
  ],
  ['example.com:8080', ['http://example.com:8080/'], ['http://example.com/']],
  ['10.0.0.0/8', ['http://10.1.2.3:99/'], ['http://11.0.0.1/']],
  ['fd00::/8', ['http://[fd00::1]:99/'], ['http://[fe80::1]/']],
] as [string, string[], string[]][])
  test(`the entry ${entry} matches the expected hosts`, () => {
    const { urlRefusal } = createAllowList([entry])
    for (const url of yes) assert.equal(urlRefusal(new URL(url)), undefined, url)
    for (const url of no) assert.match(urlRefusal(new URL(url)) ?? '', /is not among the hosts/, url)
  })

test('HTML becomes words: no scripts, headings, lists, links, characters', () => {
  const page = `<!doctype html><head><title>T</title></head><body><!-- <p>hidden --><SCRIPT>if (a < b) x()</SCRIPT>
    <h2>A &amp; B</h2><ul><li>one<li>two &#8212; <a href='https://e.example/?a=1&amp;b=2'>three</a></ul><p>x&nbsp;y`
  assert.equal(htmlToText(page), '## A & B\n\n- one\n- two — three (https://e.example/?a=1&b=2)\n\nx y')
})

test('HTML keeps the lines and indentation of preformatted text', () => {
  const page = '<p>Run\n  this:</p><pre><code>def f():\n    if <b>x</b> &lt; 1:\n\treturn</code></pre><p>Done.  Yes.'
  assert.equal(htmlToText(page), 'Run\nthis:\n\ndef f():\n    if x < 1:\n\treturn\n\nDone. Yes.')
})

test('HTML keeps text after "<" that starts no tag', () => {
  assert.equal(htmlToText('<p>if 1 < 2 and 3 > 2</p><p>a <3 b'), 'if 1 < 2 and 3 > 2\n\na <3 b')
})

test('HTML keeps all text behind letters whose lower case is longer', () => {
  const page = `${'İ'.repeat(20)}<style>b {}</style>one<Script>x</SCRIPT>two`
  assert.equal(htmlToText(page), `${'İ'.repeat(20)}onetwo`)
})

test('hostile HTML is parsed in limited time', () => {
  for (const piece of ['<!--', '<script', '<a href="', '&#', '<'])
    assert.ok(htmlToText(piece.repeat(500_000)).length <= piece.length * 500_000)
})
