import type { Protocol } from '#platform/core/vocabulary.ts'
import type { UpstreamProtocol } from './provider-facts.ts'

/** The content of a scripted answer, independent of the protocol. */
export type ScriptedAnswer = {
  text?: string
  calls?: { name: string; input: object }[]
  /** The source of the text. */
  source?: { url: string; title: string }
}

type Reply = { status: number; type: string; body: string }
type Encoder = (answer: ScriptedAnswer, streamed: boolean) => object | object[]

const usage = { in: 12, out: 7 }
let count = 0
const newId = (prefix: string) => `${prefix}_${++count}`

/** The answer as an upstream of the protocol writes it, whole or streamed. */
export function encodeAnswer(protocol: Protocol, result: ScriptedAnswer, streamed: boolean): Reply {
  const body = encoders[protocol]!(result, streamed)
  if (!streamed) return { status: 200, type: 'application/json', body: JSON.stringify(body) }
  const event = (data: object) => {
    const { type } = data as { type?: string }
    return `${type ? `event: ${type}\n` : ''}data: ${JSON.stringify(data)}\n\n`
  }
  const end = protocol === 'openai-chat' ? 'data: [DONE]\n\n' : ''
  return { status: 200, type: 'text/event-stream', body: (body as object[]).map(event).join('') + end }
}

const chat: Encoder = ({ text, calls = [], source }, streamed) => {
  const head = { id: newId('chatcmpl'), created: 1_795_000_000, model: 'played' }
  const tool_calls = calls.map(({ name, input }, index) => ({
    ...(streamed && { index }),
    id: newId('call'),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const cited = { ...source, start_index: 0, end_index: text?.length ?? 0 }
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(calls.length > 0 && { tool_calls }),
    ...(source && { annotations: [{ type: 'url_citation', url_citation: cited }] }),
  }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const tokens = { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out }
  if (!streamed)
    return { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage: tokens }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  return [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage: tokens },
  ]
}

const responses: Encoder = ({ text, calls = [], source }, streamed) => {
  const cited = { type: 'url_citation', ...source, start_index: 0, end_index: text?.length ?? 0 }
  const annotations = source ? [cited] : []
  const part = { type: 'output_text', text, annotations, logprobs: [] }
  const output: object[] = calls.map(({ name, input }) => {
    const id = newId('fc')
    return { id, type: 'function_call', status: 'completed', call_id: id, name, arguments: JSON.stringify(input) }
  })
  if (text !== undefined)
    output.unshift({ id: newId('msg'), type: 'message', role: 'assistant', status: 'completed', content: [part] })
  const tokens = { input_tokens: usage.in, output_tokens: usage.out, total_tokens: usage.in + usage.out }
  const whole = { id: newId('resp'), object: 'response', created_at: 1_795_000_000, model: 'played', output }
  const completed = { ...whole, status: 'completed', error: null, usage: tokens }
  if (!streamed) return completed
  const items = output.flatMap((item: any, output_index): object[] => {
    const at = { item_id: item.id, output_index }
    const done = { type: 'response.output_item.done', output_index, item }
    if (item.type === 'function_call')
      return [
        { type: 'response.output_item.added', output_index, item: { ...item, arguments: '', status: 'in_progress' } },
        { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
        { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
        done,
      ]
    const place = { ...at, content_index: 0 }
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [], status: 'in_progress' } },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...place, delta: text },
      ...annotations.map((annotation) => ({ type: 'response.output_text.annotation.added', ...place, annotation })),
      { type: 'response.output_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part },
      done,
    ]
  })
  const started = { ...whole, output: [], status: 'in_progress', usage: null }
  const events = [{ type: 'response.created', response: started }, ...items]
  return [...events, { type: 'response.completed', response: completed }].map((event, sequence_number) => ({
    ...event,
    sequence_number,
  }))
}

const messages: Encoder = ({ text, calls = [], source }, streamed) => {
  const citation = { type: 'web_search_result_location', ...source, cited_text: 'quoted', encrypted_index: 'e' }
  const content: object[] = calls.map(({ name, input }) => ({ type: 'tool_use', id: newId('toolu'), name, input }))
  if (text !== undefined) content.unshift({ type: 'text', text, ...(source && { citations: [citation] }) })
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const head = { id: newId('msg'), type: 'message', role: 'assistant', model: 'played' }
  const tokens = { input_tokens: usage.in, output_tokens: usage.out }
  if (!streamed) return { ...head, content, stop_reason, stop_sequence: null, usage: tokens }
  const blocks = content.flatMap((block: any, index): object[] => {
    const isText = block.type === 'text'
    const empty = isText ? { type: 'text', text: '' } : { ...block, input: {} }
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    return [
      { type: 'content_block_start', index, content_block: empty },
      ...(isText && source
        ? [{ type: 'content_block_delta', index, delta: { type: 'citations_delta', citation } }]
        : []),
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })
  const started = { ...head, content: [], stop_reason: null, stop_sequence: null }
  return [
    { type: 'message_start', message: { ...started, usage: { ...tokens, output_tokens: 1 } } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.out } },
    { type: 'message_stop' },
  ]
}

const gemini: Encoder = ({ text, calls = [], source }, streamed) => {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ]
  const groundingMetadata = source && {
    groundingChunks: [{ web: { uri: source.url, title: source.title } }],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: Buffer.byteLength(text ?? '') }, groundingChunkIndices: [0] },
    ],
  }
  const candidate = {
    content: { role: 'model', parts },
    finishReason: 'STOP',
    index: 0,
    ...(source && { groundingMetadata }),
  }
  const usageMetadata = {
    promptTokenCount: usage.in,
    candidatesTokenCount: usage.out,
    totalTokenCount: usage.in + usage.out,
  }
  const whole = { candidates: [candidate], usageMetadata, modelVersion: 'played', responseId: newId('g') }
  return streamed ? [whole] : whole
}

const encoders: Partial<Record<Protocol, Encoder>> & Record<UpstreamProtocol, Encoder> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'google-gemini': gemini,
}

/** An error as the provider words it. */
export function failedBy(protocol: Protocol, status: number): Reply {
  const message = `played ${status}`
  const bodies: Partial<Record<Protocol, object>> & Record<UpstreamProtocol, object> = {
    'openai-chat': { error: { message, type: 'played', code: null } },
    'openai-responses': { error: { message, type: 'played', code: null } },
    'anthropic-messages': { type: 'error', error: { type: 'played_error', message } },
    'google-gemini': { error: { code: status, message, status: 'PLAYED' } },
  }
  return { status, type: 'application/json', body: JSON.stringify(bodies[protocol]) }
}
