import type { CompletionEvent } from '#chat/events.ts'

/** Sources that search models such as Perplexity's send beside the message: URLs, or results with titles. */
export type Sources = {
  citations?: unknown[] | null
  search_results?: ({ url?: string; title?: string | null; snippet?: string | null } | null)[] | null
}

/** Emits each source once. */
export function readSources({ citations, search_results: results }: Sources): CompletionEvent[] {
  if (!citations && !results) return []
  const events = new Map<string, CompletionEvent>()
  for (const result of Array.isArray(results) ? results : []) {
    const { url, title, snippet } = result ?? {}
    if (typeof url !== 'string' || !url) continue
    events.set(url, { type: 'citation', url, ...(title && { title }), ...(snippet && { quote: snippet }) })
  }
  for (const url of Array.isArray(citations) ? citations : [])
    if (typeof url === 'string' && url && !events.has(url)) events.set(url, { type: 'citation', url })
  return [...events.values()]
}
