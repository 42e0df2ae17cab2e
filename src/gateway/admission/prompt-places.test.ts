import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { dataUrl, png, wav, wavData, wavFormat } from '#test/harness/upstream/media.ts'
import type { Body } from '../protocol/request-body.ts'
import { promptBound } from './bounds/prompt-bound.ts'

const picture = dataUrl('image/png', png(500, 500))
const sound = wav([wavFormat(), wavData(3200)]).toString('base64')
const source = { type: 'file', file_id: 'file_1' }
const words = { type: 'text', text: 'Hi' }

/** Parts that contain more than text, each in the form of one protocol. */
const parts: Record<string, object> = {
  'document by id': { type: 'document', source },
  'document by URL': { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  'document of parts': { type: 'document', source: { type: 'content', content: [{ type: 'image', source }] } },
  'document with a decoy': { type: 'document', source: { type: 'text', data: 'a' }, file_id: 'file_1' },
  'picture by id': { type: 'image', source },
  'picture by URL': { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  'picture by bytes': { type: 'input_image', image_url: picture },
  'picture by input id': { type: 'input_image', file_id: 'file-1' },
  'file by id': { type: 'file', file: { file_id: 'file-1' } },
  'file by input id': { type: 'input_file', file_id: 'file-1' },
  'file by URL': { type: 'input_file', file_url: 'https://example.com/a.pdf' },
  'file by bytes': { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
  sound: { type: 'input_audio', input_audio: { data: sound, format: 'wav' } },
  video: { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
  upload: { type: 'container_upload', file_id: 'file_1' },
  screenshot: { type: 'computer_screenshot', file_id: 'file-1' },
  'text with a file': { type: 'text', text: 'a', file_id: 'file-1' },
  'unknown with a decoy': { type: 'unknown', url: picture, document_url: 'https://example.com/a.pdf' },
  'part without a type': { file_id: 'file-1' },
}

const result = (content: unknown) => ({ type: 'tool_result', tool_use_id: 'a', content })
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const item = (one: object) => ({ input: [one] })

/** Every place where a request of each protocol can contain a part, with texts around it. */
const places: Record<string, (part: object) => Body> = {
  'a message': (part) => user([words, part, words]),
  'a message of one part': (part) => user(part),
  'a list in a message': (part) => user([[part]]),
  'a tool result': (part) => user([result([words, part, words])]),
  'a tool result of one part': (part) => user([result(part)]),
  'a result in a result': (part) => user([result([words, result([part])])]),
  'a result of an MCP tool': (part) => user([{ ...result([part]), type: 'mcp_tool_result' }]),
  'a search result': (part) => user([{ type: 'search_result', source: 'https://a', title: 'a', content: [part] }]),
  'an unknown part': (part) => user([{ type: 'unknown', content: [part] }]),
  'a document of parts': (part) => user([{ type: 'document', source: { type: 'content', content: [words, part] } }]),
  'a message of a tool': (part) => ({ messages: [{ role: 'tool', tool_call_id: 'a', content: [words, part] }] }),
  'a message of the system': (part) => ({ messages: [{ role: 'system', content: [words, part] }] }),
  'a message of the developer': (part) => ({ messages: [{ role: 'developer', content: [part] }] }),
  'a response': (part) => ({ messages: [{ role: 'assistant', content: [words, part] }] }),
  'images of a response': (part) => ({ messages: [{ role: 'assistant', content: 'a', images: [part] }] }),
  system: (part) => ({ ...user('Hi'), system: [words, part] }),
  'system of one part': (part) => ({ ...user('Hi'), system: part }),
  instructions: (part) => ({ input: 'Hi', instructions: [words, part] }),
  'an input message': (part) => item({ role: 'user', content: [words, part] }),
  'the output of a function': (part) => item({ type: 'function_call_output', call_id: 'a', output: [words, part] }),
  'the output of a custom tool': (part) => item({ type: 'custom_tool_call_output', call_id: 'a', output: [part] }),
  'the output of a computer': (part) => item({ type: 'computer_call_output', call_id: 'a', output: part }),
  'outputs of an interpreter': (part) => item({ type: 'code_interpreter_call', outputs: [part] }),
}

for (const [model, reason] of [
  ['any-other', 'an unknown model'],
  ['claude-sonnet-4-5', 'a model with a limit for pictures'],
] as const) {
  test(`a part that is not text counts no less within other parts, at ${reason}`, () => {
    const endpoint = endpointFor(model, { contextLength: 1_000_000 })
    const bound = (body: Body) => promptBound(body, endpoint)
    for (const [name, part] of Object.entries(parts)) {
      const least = bound(user([part])).tokens
      for (const [place, around] of Object.entries(places)) {
        const { tokens, isExact } = bound(around(part))
        const text = bound(around(words)).tokens
        assert.ok(tokens >= least, `${name} in ${place}: ${tokens} < ${least}`)
        assert.ok(!isExact && (tokens === 1_000_000 || tokens > text + 200), `${name} in ${place}: ${tokens}`)
      }
    }
  })
}

test('a file as an item, or next to the parts of a message, counts as the context', () => {
  const endpoint = endpointFor('any-other', { contextLength: 1_000_000 })
  const bodies: Body[] = [
    item({ type: 'input_file', file_id: 'file-1' }),
    item({ type: 'unknown', file_id: 'file-1' }),
    { input: { type: 'input_file', file_id: 'file-1' } },
    { messages: [{ role: 'user', content: 'Hi', attachments: [{ file_id: 'file-1' }] }] },
    { messages: [{ role: 'user', content: 'Hi', files: [{ url: 'https://example.com/a.pdf' }] }] },
  ]
  for (const body of bodies) assert.equal(promptBound(body, endpoint).tokens, 1_000_000, JSON.stringify(body))
})

test('words about files count as text', () => {
  const endpoint = endpointFor('any-other', { contextLength: 1_000_000 })
  const input = { file_id: 'file-1', url: 'https://example.com/a.pdf', data: 'data:image/png;base64,AAAA' }
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } }
  const bodies: Body[] = [
    user([{ type: 'tool_use', id: 'a', name: 'f', input }]),
    user([result('https://example.com/a.pdf'), result([words])]),
    user([{ type: 'search_result', source: 'https://a', title: 'a', content: [words] }]),
    user([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: '%PDF-' } }]),
    user([{ type: 'document', source: { type: 'content', content: [words] } }]),
    { messages: [{ role: 'assistant', tool_calls: [call], reasoning_details: [{ data: 'https://a' }] }] },
    item({ type: 'web_search_call', action: { type: 'open_page', url: 'https://a' } }),
    item({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'a' }], encrypted_content: 'a' }),
  ]
  for (const body of bodies) {
    const { tokens, isExact } = promptBound(body, endpoint)
    assert.ok(isExact && tokens < 2000, JSON.stringify(body))
  }
})

test('no spelling of the data URL of a large picture counts as a small one', () => {
  const endpoint = endpointFor('any-other', { contextLength: 1_000_000 })
  const bytes = png(4096, 4096)
  const base64 = bytes.toString('base64')
  const percent = (text: string) => text.replace(/./gs, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
  const honest = promptBound(user([{ type: 'image_url', image_url: { url: dataUrl('image/png', bytes) } }]), endpoint)
  const urls = [
    ...[`DATA:IMAGE/PNG;BASE64,${base64}`, `data:text/plain;charset=utf-8;base64,${base64}`, ` data:;base64,${base64}`],
    ...[`data:image/png;base64,${base64.replace(/.{20}/g, '$&%0A')}`, `data:image/png;base64,${percent(base64)}`],
    ...[`data:image/png,${percent(bytes.toString('latin1'))}`, `data:image/png;base64,${bytes.toString('base64url')}`],
    ...[`data:image/png;base64,${base64.replaceAll('/', '%2F').replaceAll('+', '%2B')}`],
  ]
  for (const url of urls) {
    const { tokens } = promptBound(user([{ type: 'image_url', image_url: { url } }]), endpoint)
    assert.ok(tokens >= honest.tokens - 100, `${url.slice(0, 60)}: ${tokens} instead of ${honest.tokens}`)
  }
})
