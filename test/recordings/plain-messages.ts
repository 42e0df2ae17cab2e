import { decodeThought, isEncodedThought } from '#chat/thought-encoding.ts'
import { callOf, eventsOf, nothing, once, type Plain } from './plain.ts'

const finishes: Record<string, string> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** A message of Anthropic's, whole or streamed. */
export function plainMessage(response: string, streamed: boolean): Plain {
  const message = streamed ? assembled(eventsOf(response)) : JSON.parse(response)
  const plain = nothing()
  for (const block of message.content ?? []) {
    plain.text += block.type === 'text' ? block.text : ''
    plain.reasoning += block.type === 'thinking' ? block.thinking : ''
    const mark = block.type === 'redacted_thinking' ? block.data : block.signature
    if (mark) plain.signatures.push(...opened(mark))
    if (block.type === 'tool_use') plain.calls.push(callOf(block.name, block.input))
    plain.citations.push(
      ...(block.citations ?? []).map(({ url, document_title, title }: any) => url ?? document_title ?? title),
    )
  }
  plain.citations = once(plain.citations)
  plain.error = message.error?.message ?? ''
  if (message.stop_reason) plain.finish = finishes[message.stop_reason] ?? 'stop'
  readUsage(message.usage ?? {}, plain)
  return plain
}

/** Other providers' marks stand sealed where Anthropic's stand as they are. */
function opened(mark: string): string[] {
  if (!isEncodedThought(mark)) return [mark]
  const { signature, encrypted } = decodeThought(mark, undefined) ?? {}
  return (signature ?? encrypted) ? [(signature ?? encrypted)!] : []
}

/** Anthropic bills compactions and advisors too. It lists them as iterations, which the counts of the response do not include. */
function readUsage(usage: any, plain: Plain): void {
  const separate = (usage.iterations ?? []).filter(({ type }: any) => ['compaction', 'advisor_message'].includes(type))
  for (const counts of [usage, ...separate]) {
    const { input_tokens = 0, cache_read_input_tokens: read, cache_creation_input_tokens: written } = counts
    plain.cached += read ?? 0
    plain.prompt += input_tokens + (read ?? 0) + (written ?? 0)
    plain.completion += counts.output_tokens ?? 0
    plain.reasoned += counts.output_tokens_details?.thinking_tokens ?? 0
  }
}

function assembled(events: any[]): any {
  const message: any = { content: [] }
  for (const { type, index, content_block, delta = {}, usage, error, message: start } of events) {
    if (error) message.error = error
    if (type === 'message_start') Object.assign(message, start, { content: [] })
    if (type === 'content_block_start') message.content[index] = { ...content_block, json: '' }
    const block = message.content[index]
    if (delta.type === 'text_delta') block.text += delta.text
    if (delta.type === 'thinking_delta') block.thinking += delta.thinking
    if (delta.type === 'signature_delta') block.signature = delta.signature
    if (delta.type === 'input_json_delta') block.json += delta.partial_json
    if (delta.type === 'citations_delta') block.citations = [...(block.citations ?? []), delta.citation]
    if (block?.json && type === 'content_block_stop') block.input = block.json
    if (type === 'message_delta') Object.assign(message, delta, { usage: { ...message.usage, ...usage } })
  }
  return message
}
