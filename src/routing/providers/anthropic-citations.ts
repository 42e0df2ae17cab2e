import type { Citation } from '#chat/events.ts'

export type AnthropicCitation = {
  type?: string
  url?: string
  source?: string
  title?: string | null
  cited_text?: string
}

/** A source with an address: what was cited of a document of the request has none, and no counterpart elsewhere. */
export function citationOf({ type, url, source, title, cited_text: quote }: AnthropicCitation): Citation[] {
  const address = type === 'search_result_location' ? source : url
  if (!address) return []
  return [{ url: address, ...(title && { title }), ...(quote && { quote }) }]
}
