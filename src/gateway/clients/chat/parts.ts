import type { Annotation, ToolCallDelta } from '#chat/chunk.ts'
import type { Citation, CompletionEvent, GeneratedImage } from '#chat/events.ts'

/**
 * The annotation of a source. Without a position it covers all text, which has `length` characters so far. Sources
 * without a URL are omitted, because some clients reject the whole response.
 */
export function toAnnotations({ url, title, quote, start = 0, end }: Citation, length: number): Annotation[] {
  if (url === undefined) return []
  const source = { start_index: start, end_index: end ?? length, title: title ?? '', url }
  return [{ type: 'url_citation', url_citation: { ...source, ...(quote && { content: quote }) } }]
}

export function toImagePart({ url }: GeneratedImage): { type: 'image_url'; image_url: { url: string } } {
  return { type: 'image_url', image_url: { url } }
}

/** A call before its arguments. */
export function toEmptyCall({ id, name, custom }: Extract<CompletionEvent, { type: 'tool_call' }>) {
  if (custom) return { id, type: 'custom' as const, custom: { name, input: '' } }
  return { id, type: 'function' as const, function: { name, arguments: '' } }
}

export function toArgumentsDelta(text: string, isCustom: boolean): Pick<ToolCallDelta, 'function' | 'custom'> {
  return isCustom ? { custom: { input: text } } : { function: { arguments: text } }
}
