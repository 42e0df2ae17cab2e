import type { Citation } from '#chat/events.ts'

export type AnthropicCitation = {
  type?: string
  url?: string
  source?: string
  title?: string | null
  cited_text?: string
  document_index?: number
  document_title?: string | null
  file_id?: string | null
}

/**
 * Converts a citation of a source with a URL or of a document in the request.
 * @returns one citation; an empty list if it names neither.
 */
export function toCitations(citation: AnthropicCitation): Citation[] {
  const { type, url, source, title, cited_text } = citation
  const quote = cited_text ? { quote: cited_text } : {}
  const address = type === 'search_result_location' ? source : url
  if (address) return [{ url: address, ...(title && { title }), ...quote }]
  const { document_index: index, document_title, file_id } = citation
  if (typeof index !== 'number') return []
  return [
    { file: { id: file_id ?? `document_${index}`, name: document_title ?? `document ${index + 1}`, index }, ...quote },
  ]
}
