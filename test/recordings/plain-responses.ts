import { decodeThought } from '#chat/thought-encoding.ts'
import { callOf, digestOf, eventsOf, nothing, once, type Plain } from './plain.ts'

/** A response, whole or streamed: then put together of what its events add, as a client does that shows them. */
export function plainResponse(response: string, streamed: boolean): Plain {
  return streamed ? plainStream(eventsOf(response)) : plainWhole(JSON.parse(response))
}

function plainStream(events: any[]): Plain {
  const plain = nothing()
  const calls = new Map<number, any>()
  for (const event of events) {
    const { type, delta = '', item, response, output_index: at } = event
    if (type === 'response.output_text.delta') plain.text += delta
    if (type === 'response.refusal.delta') plain.refusal += delta
    if (/^response\.reasoning(_summary)?_text\.delta$/.test(type)) plain.reasoning += delta
    if (type === 'response.reasoning_summary_part.added' && event.summary_index > 0) plain.reasoning += '\n\n'
    if (type === 'response.output_item.added' && isCall(item)) calls.set(at, { ...item, arguments: '', input: '' })
    if (type === 'response.function_call_arguments.delta') calls.get(at).arguments += delta
    if (type === 'response.custom_tool_call_input.delta') calls.get(at).input += delta
    if (type === 'response.output_text.annotation.added') plain.citations.push(citedIn(event.annotation))
    if (type === 'response.output_item.done') {
      if (calls.has(at)) calls.set(at, item)
      readHidden(item, plain)
    }
    if (type === 'error') plain.error = event.message ?? event.error?.message
    if (/^response\.(completed|incomplete|failed)$/.test(type)) readEnd(response, plain, calls.size > 0)
  }
  plain.calls = [...calls.values()].map(calledBy)
  plain.citations = once(plain.citations.filter(Boolean))
  return plain
}

function plainWhole(response: any): Plain {
  const plain = nothing()
  for (const item of response.output ?? []) {
    readHidden(item, plain)
    if (isCall(item)) plain.calls.push(calledBy(item))
    if (item.type === 'reasoning') {
      const result = item.summary?.length ? item.summary : (item.content ?? [])
      plain.reasoning += result.map(({ text }: any) => text).join('\n\n')
    }
    if (item.type !== 'message') continue
    for (const { text = '', refusal = '', annotations = [] } of item.content) {
      plain.text += text
      plain.refusal += refusal
      plain.citations.push(...annotations.map(citedIn))
    }
  }
  readEnd(response, plain, plain.calls.length > 0)
  plain.citations = once(plain.citations.filter(Boolean))
  return plain
}

const citedIn = ({ url, filename }: any) => url ?? filename

const isCall = ({ type }: any) => type === 'function_call' || type === 'custom_tool_call'

const calledBy = (item: any) => callOf(item.name, item.arguments ?? item.input)

/** What is not shown: a thought's seal, and an image. */
function readHidden(item: any, plain: Plain): void {
  if (item.type === 'image_generation_call' && item.result) plain.images.push(digestOf(item.result))
  if (item.type !== 'reasoning' || !item.encrypted_content) return
  const mark = decodeThought(item.encrypted_content, item.id)
  // An unsigned thought contains only its position.
  if (mark?.field === undefined) plain.signatures.push(mark?.signature ?? mark?.encrypted ?? item.encrypted_content)
}

function readEnd({ status, incomplete_details, usage, error }: any, plain: Plain, called: boolean): void {
  const reason = incomplete_details?.reason
  plain.finish = status === 'failed' ? '' : called ? 'tool_calls' : 'stop'
  if (status === 'incomplete') plain.finish = reason === 'max_output_tokens' ? 'length' : reason
  if (error) plain.error = error.message
  if (!usage) return
  plain.prompt = usage.input_tokens
  plain.completion = usage.output_tokens
  plain.cached = usage.input_tokens_details?.cached_tokens ?? 0
  plain.reasoned = usage.output_tokens_details?.reasoning_tokens ?? 0
}
