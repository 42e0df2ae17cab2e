import { isObject } from '#platform/core/is-object.ts'
import type { Fields } from '../../with-fields.ts'

/** A source of a response, with the fields that OpenAI's annotations have. */
type Source = { url: string; title?: string; content?: string }

/** Fields of a response in which servers have its sources. The first ones have titles. */
export const sourceFields = [
  'search_results',
  // Zhipu
  'web_search',
  // DashScope, Hunyuan
  'search_info',
  // Doubao
  'references',
  // LiteLLM
  'vertex_ai_grounding_metadata',
  'citations',
] as const

/** Fields of a message in which servers have its sources. */
const messageFields = [
  'citations',
  // Azure
  'context',
  // LiteLLM
  'provider_specific_fields',
  // Groq
  'executed_tools',
] as const

/** Fields with a source, or with a list of them. */
const innerFields = [
  'citations',
  'search_results',
  'results',
  'sources',
  'groundingChunks',
  'web',
  'document',
  'url_citation',
] as const

/** Sources are searched down to this level: a field of an item of a list in a field, for example. */
const maxDepth = 5

/** The sources of a response and of its message, each once. */
export function findSources(completion: Fields, message: Fields): Source[] {
  const sources = new Map<string, Source>()
  const sourceValues = [...sourceFields.map((name) => completion[name]), ...messageFields.map((name) => message[name])]
  for (const source of sourceValues.flatMap((value) => listSources(value, maxDepth)))
    if (!sources.has(source.url)) sources.set(source.url, source)
  return [...sources.values()]
}

/** A source as an annotation of the text before it. */
export function toAnnotation({ url, title = '', content }: Source): object {
  const url_citation = { url, title, start_index: 0, end_index: 0, ...(content && { content }) }
  return { type: 'url_citation', url_citation }
}

function listSources(value: unknown, depth: number): Source[] {
  if (typeof value === 'string') return isUrl(value) ? [{ url: value }] : []
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => listSources(item, depth - 1))
  if (!isObject(value)) return []
  const url = [value.url, value.link, value.uri].find((one) => typeof one === 'string' && isUrl(one))
  if (typeof url !== 'string') return innerFields.flatMap((name) => listSources(value[name], depth - 1))
  const title = firstText(value.title, value.name)
  const content = firstText(value.snippet, value.content, value.cited_text)
  return [{ url, ...(title && { title }), ...(content && { content }) }]
}

const firstText = (...values: unknown[]) => values.find((one) => typeof one === 'string' && one !== '') as string

const isUrl = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
