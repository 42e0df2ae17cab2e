import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'
import { type Door, doors } from '../../tool-calls/clients.ts'

const urls = ['https://example.com/1', 'https://example.com/2']
const named = urls.map((url) => ({ url, title: 'A page' }))
const annotations = named.map((page) => ({ type: 'url_citation', ...page, start_index: 0, end_index: 5 }))
const message = (members: object, beside: object = {}) => ({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', ...members }, finish_reason: 'stop' }],
  ...beside,
})
const text = { type: 'text', text: 'Hello' }
const web = named.map(({ url, title }) => ({ web: { uri: url, title } }))
const candidate = (members: object) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', ...members }],
})
const cited = urls.map((uri) => ({ startIndex: 0, endIndex: 5, uri }))
const response = (members: object) => ({
  id: 'r',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
  ...members,
})

type LooseResponse = { name: string; protocol: Protocol; body: object; not?: Door }
const chat = (name: string, body: object): LooseResponse => ({ name, protocol: 'openai-chat', body })

/** Whole responses with both sources. */
const citing: LooseResponse[] = [
  chat('citations of Perplexity and xAI', message({}, { citations: urls })),
  chat('results of Perplexity', message({}, { citations: urls, search_results: named })),
  chat('citations with titles', message({}, { citations: named })),
  chat('search_info of DashScope', message({}, { search_info: { search_results: named } })),
  chat('references of Doubao', message({}, { references: named })),
  chat('grounding of LiteLLM', message({}, { vertex_ai_grounding_metadata: [{ groundingChunks: web }] })),
  chat('citations of LiteLLM', message({ provider_specific_fields: { citations: [named] } })),
  chat('citations of Cohere', message({ citations: named.map((document) => ({ sources: [{ document }] })) })),
  chat('tools of Groq', message({ executed_tools: [{ search_results: { results: named } }] })),
  chat(
    'references of Mistral',
    message({ content: [text, ...named.map((page) => ({ type: 'tool_reference', ...page }))] }),
  ),
  chat('annotations of a part', message({ content: [{ ...text, annotations }] })),
  {
    name: 'repeated works of Gemini',
    protocol: 'google-gemini',
    body: candidate({ citationMetadata: { citationSources: cited } }),
  },
  {
    name: 'repeated works of Vertex',
    protocol: 'google-gemini',
    body: candidate({ citationMetadata: { citations: cited } }),
  },
  {
    name: 'citations beside a response',
    protocol: 'openai-responses',
    body: response({ citations: urls }),
    not: 'responses',
  },
]

const data = 'iVBORw0KGgo='
const url = `data:image/webp;base64,${data}`
const inline = { inline_data: { mime_type: 'image/webp', data } }

/** Whole responses with one image. */
const drawing: LooseResponse[] = [
  chat('an image of LiteLLM', message({ image: { url } })),
  chat('a file of the AI SDK', message({ content: [text, { type: 'file', mediaType: 'image/webp', data }] })),
  chat('a file as content', message({ content: { type: 'file', mediaType: 'image/webp', data } })),
  chat('a part of Gemini', message({ content: [text, inline] })),
  chat('parts of Gemini beside the content', message({ multi_mod_content: [{ text: 'Hello' }, inline] })),
]

/** The sources in a whole response. */
const readSources: Record<Door, (body: any) => string[]> = {
  chat: ({ choices }) => (choices[0].message.annotations ?? []).map((one: any) => one.url_citation.url),
  responses: ({ output }) => output.at(-1).content[0].annotations.map((one: any) => one.url),
  messages: ({ content }) => content.at(-1).citations.map((one: any) => one.url),
}

const started = { type: 'response.created', response: { id: 'r', object: 'response', status: 'in_progress' } }
const delta = (more: object) => ({ type: 'response.output_text.delta', delta: 'Hello', ...more })
const place = { item_id: 'm', output_index: 0, content_index: 0 }
/** Streams that do not say where their text belongs. */
const unannounced = {
  'text without an item': [started, delta(place), { type: 'response.completed', response: response({ output: [] }) }],
  'text without its place': [
    started,
    { type: 'response.output_item.added', item: { type: 'message', id: 'm', role: 'assistant', content: [] } },
    delta({}),
    { type: 'response.completed', response: response({}) },
  ],
  'only the whole response': [{ type: 'response.completed', response: response({}) }],
}

const responses = [...citing, ...drawing]
const streams = Object.entries(unannounced)

describe('sources and images in the fields of other servers', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      (received) => {
        const [kind, number] = parseRequest(received).name.split('-')
        if (kind === 'answer')
          return { status: 200, type: 'application/json', body: JSON.stringify(responses[Number(number)]!.body) }
        const events =
          kind === 'stream'
            ? streams[Number(number)]![1]
            : ['Hel', 'lo'].map((content) => ({
                choices: [{ index: 0, delta: { content }, finish_reason: content === 'lo' ? 'stop' : null }],
                citations: urls,
              }))
        const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
        return { status: 200, type: 'text/event-stream', body: `${body}data: [DONE]\n\n` }
      },
      ['repeated', ...responses.map((_, at) => `answer-${at}`), ...streams.map((_, at) => `stream-${at}`)],
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = (door: Door, model: string, stream = false) =>
    recorded.service.ask('POST', doors[door].path, { body: { ...doors[door].body, model, stream } })

  for (const [at, { name, protocol, not }] of citing.entries())
    for (const door of (Object.keys(doors) as Door[]).filter((one) => one !== not))
      test(`${door}: ${name}`, async () => {
        const { body } = await ask(door, `${protocol}/answer-${at}`)
        assert.deepEqual(readSources[door](body), urls)
      })

  for (const [at, { name }] of drawing.entries())
    test(`${name} is an image for clients of chat and of responses`, async () => {
      const model = `openai-chat/answer-${citing.length + at}`
      const { message: shown } = (await ask('chat', model)).body.choices[0]
      assert.deepEqual(shown.images, [{ type: 'image_url', image_url: { url } }])
      assert.equal(typeof shown.content, 'string')
      const { output } = (await ask('responses', model)).body
      assert.equal(output.find(({ type }: any) => type === 'image_generation_call').result, data)
    })

  test('sources that each event of a stream repeats reach a chat client once', async () => {
    const { text: events } = await ask('chat', 'openai-chat/repeated', true)
    assert.equal(events.split('"url_citation"').length - 1, 2 * urls.length)
  })

  for (const [at, [name]] of streams.entries())
    test(`a responses client gets an item for ${name}`, async () => {
      const { text: events } = await ask('responses', `openai-responses/stream-${at}`, true)
      const [added, written, completed] = ['output_item.added', 'output_text.delta', 'response.completed'].map((type) =>
        events.indexOf(type),
      )
      assert.ok(added! > 0 && written! > added! && completed! > written!, events)
      const end = JSON.parse(events.slice(events.lastIndexOf('data: {') + 'data: '.length).split('\n')[0]!)
      assert.equal(end.response.output[0].content[0].text, 'Hello')
    })
})
