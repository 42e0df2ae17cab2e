import { callOf, digestOf, eventsOf, nothing, once, type Plain } from './plain.ts'

/** A chat completion, whole or streamed. */
export function simplifyChat(response: string, streamed: boolean): Plain {
  const plain = nothing()
  const calls: any[] = []
  for (const part of streamed ? eventsOf(response) : [JSON.parse(response)]) {
    if (part.error) plain.error = part.error.message
    const [choice] = part.choices ?? []
    if (choice) readMessage(choice.delta ?? choice.message ?? {}, plain, calls)
    if (choice?.finish_reason) plain.finish = choice.finish_reason
    for (const { url } of part.search_results ?? []) plain.citations.push(url)
    readUsage(part.usage ?? part.x_groq?.usage, plain)
  }
  plain.calls = calls.map(({ name, text }) => callOf(name, text))
  plain.citations = once(plain.citations)
  return plain
}

function readMessage(message: any, plain: Plain, calls: any[]): void {
  for (const part of partsOf(message.content)) {
    if (part.type === 'thinking') plain.reasoning += part.thinking.map(({ text }: any) => text).join('')
    else plain.text += part.text
  }
  const details = message.reasoning_details ?? []
  const result = details.map(({ text, summary }: any) => text ?? summary ?? '').join('')
  plain.reasoning += message.reasoning ?? message.reasoning_content ?? result
  plain.signatures.push(...details.flatMap(({ signature, data }: any) => signature || data || []))
  plain.refusal += message.refusal ?? ''
  for (const [at, call] of (message.tool_calls ?? []).entries()) {
    calls[call.index ?? at] ??= { name: '', text: '' }
    const known = calls[call.index ?? at]
    known.name += call.function?.name ?? call.custom?.name ?? ''
    known.text += call.function?.arguments ?? call.custom?.input ?? ''
  }
  for (const { url_citation } of message.annotations ?? []) plain.citations.push(url_citation.url)
  for (const { image_url } of message.images ?? []) plain.images.push(digestOf(image_url.url.split(',')[1]))
}

function partsOf(content: unknown): any[] {
  return Array.isArray(content) ? content : content ? [{ type: 'text', text: content }] : []
}

function readUsage(usage: any, plain: Plain): void {
  if (!usage) return
  plain.prompt = usage.prompt_tokens
  plain.completion = usage.completion_tokens
  plain.cached = usage.prompt_tokens_details?.cached_tokens ?? usage.num_cached_tokens ?? 0
  plain.reasoned = usage.completion_tokens_details?.reasoning_tokens ?? 0
}
