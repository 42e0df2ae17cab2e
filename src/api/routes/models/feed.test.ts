import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'

const hostile = ']]> & <script>"\'\u0000\u0007\u000b\ufffe\ud800 &amp; --> ]]&gt; é 🚦'
const models = {
  'a/calm': { name: 'Calm', created: '2026-02-03', description: 'A & B' },
  'b/wild:free': { name: hostile, created: '2026-01-01', description: hostile },
  'b/deaf': { output_modalities: ['audio'] },
}
const parser = new XMLParser({ ignoreAttributes: false, trimValues: false, processEntities: true })

test('the feed has the same models as the list, with all that a reader needs', async () => {
  await using service = await startWithModels(models)
  const { headers, text } = await service.ask('GET', '/models?use_rss=true&q=calm')
  const origin = new URL(service.url).origin
  const { rss } = parser.parse(text)
  assert.equal(headers.get('content-type'), 'application/rss+xml; charset=utf-8')
  assert.deepEqual([rss['@_version'], rss.channel.link], ['2.0', `${origin}/models`])
  assert.equal(
    rss.channel['atom:link']['@_href'],
    `${service.url}/models?use_rss=true&amp;q=calm`.replace('&amp;', '&'),
  )
  assert.deepEqual(rss.channel.item, {
    title: 'Calm (a/calm)',
    link: `${origin}/models/a/calm`,
    guid: { '@_isPermaLink': 'false', '#text': 'a/calm-2026-02-03' },
    pubDate: 'Tue, 03 Feb 2026 00:00:00 GMT',
    description: 'A & B',
  })
})

test('items link to a chat on request', async () => {
  await using service = await startWithModels(models)
  const { text } = await service.ask('GET', '/models?use_rss=true&use_rss_chat_links=true&model_authors=b')
  const { origin } = new URL(service.url)
  assert.equal(parser.parse(text).rss.channel.item.link, `${origin}/chat?model=b%2Fwild%3Afree`)
})

test('hostile names are unchanged, except characters that XML excludes', async () => {
  await using service = await startWithModels(models)
  const { text } = await service.ask('GET', '/models?use_rss=true&model_authors=b')
  assert.equal(XMLValidator.validate(text), true)
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b\ufffe]|<script>|\]\]>/)
  const { title, description, link } = parser.parse(text).rss.channel.item
  const sayable = ']]> & <script>"\' \ufffd &amp; --> ]]&gt; é 🚦'.replace("' ", "'")
  assert.deepEqual([title, description], [`${sayable} (b/wild:free)`, sayable])
  assert.equal(link, `${new URL(service.url).origin}/models/b/wild:free`)
})

async function linkWith(headers: Record<string, string>, settings: object = {}) {
  await using service = await startWithModels(models, { settings: settings as never })
  const { text } = await service.ask('GET', '/models?use_rss=true&q=calm', { headers })
  return { link: parser.parse(text).rss.channel.link, origin: new URL(service.url).origin }
}

test('links have the host and scheme that a trusted proxy reports', async () => {
  const settings = { trusted_proxies: '127.0.0.1', proxy_host_header: 'forwarded' }
  const { link } = await linkWith({ forwarded: 'for=192.0.2.1;host=box.example;proto=https' }, settings)
  assert.equal(link, 'https://box.example/models')
})

test('links do not have the scheme that a client reports itself', async () => {
  const { link, origin } = await linkWith({ 'x-forwarded-proto': 'https' })
  assert.equal(link, `${origin}/models`)
})

test('an empty feed is a feed', async () => {
  await using service = await startWithModels(models)
  const { text, status } = await service.ask('GET', '/models?use_rss=true&q=nothing')
  assert.deepEqual([status, XMLValidator.validate(text), parser.parse(text).rss.channel.item], [200, true, undefined])
})
