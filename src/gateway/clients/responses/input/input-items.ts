import type { Part } from './input-parts.ts'

/** An input item of a responses request. The schema of the route checks only that it is an object. */
export type Item = {
  type?: string
  role?: string
  id?: string
  content?: string | Part[] | null
  call_id?: string
  name?: string
  namespace?: string
  arguments?: string
  input?: string
  execution?: string
  tools?: unknown
  output?: string | Part[]
  summary?: { text?: string }[] | null
  encrypted_content?: string | null
  /** An image in base64. */
  result?: unknown
  output_format?: unknown
}
export const isOutput = ({ type }: Item) => type === 'function_call_output' || type === 'custom_tool_call_output'

/** Types of calls that are translated. */
const translatedCalls: ReadonlySet<string | undefined> = new Set(['function_call', 'custom_tool_call'])

/** Whether an item is a call of a provider tool, which is skipped together with its output. */
export function isForeignCall(item: Item): boolean {
  const { type, call_id } = item
  return call_id !== undefined && /_call$/.test(type ?? '') && !translatedCalls.has(type) && !isSearchCall(item)
}

/** A search for tools that the client ran. */
export const isSearchCall = ({ type, execution }: Item) => type === 'tool_search_call' && execution === 'client'
export const isSearchOutput = ({ type, execution }: Item) => type === 'tool_search_output' && execution === 'client'

/** Whether an item is an image that the model generated. The model needs it to change it. */
export const isGeneratedImage = ({ type, result }: Item) =>
  type === 'image_generation_call' && typeof result === 'string' && result !== ''

/** Types of items with a meaning for every model. */
const translatedTypes: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'additional_tools',
  'function_call',
  'custom_tool_call',
  'function_call_output',
  'custom_tool_call_output',
])

/** Types of parts. Some clients send them without a message. */
export const partTypes: ReadonlySet<string> = new Set([
  'text',
  'input_text',
  'input_image',
  'image_url',
  'input_file',
  'input_audio',
])

/** The types of the items that other protocols lack. */
export function skippedItemTypes(input: unknown): string[] {
  const items = (Array.isArray(input) ? input : []) as Item[]
  const isTranslated = (item: Item) => isSearchCall(item) || isSearchOutput(item) || isGeneratedImage(item)
  const types = items.map((item) => (isTranslated(item) ? undefined : item.type))
  return [
    ...new Set(types.filter((type) => typeof type === 'string' && !translatedTypes.has(type) && !partTypes.has(type))),
  ] as string[]
}
