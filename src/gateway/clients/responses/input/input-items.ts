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

export const isCallOutput = ({ type }: Item) => type === 'function_call_output' || type === 'custom_tool_call_output'

/** The types of calls that are translated to tool calls. */
const functionCallTypes: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call'])

/** Whether an item is a call of a tool that the provider ran. The call is skipped together with its output. */
export function isHostedToolCall(item: Item): boolean {
  const { type, call_id } = item
  return call_id !== undefined && /_call$/.test(type ?? '') && !functionCallTypes.has(type) && !isToolSearchCall(item)
}

/** Whether an item is a search for tools (`tool_search`) that the client ran. */
export const isToolSearchCall = ({ type, execution }: Item) => type === 'tool_search_call' && execution === 'client'
export const isToolSearchOutput = ({ type, execution }: Item) => type === 'tool_search_output' && execution === 'client'

/** Whether an item is a generated image. Images are translated, because the model needs an image to edit it. */
export const isGeneratedImage = ({ type, result }: Item) =>
  type === 'image_generation_call' && typeof result === 'string' && result !== ''

/** Item types that can be translated to every protocol. */
const translatableItemTypes: ReadonlySet<string> = new Set([
  'message',
  'reasoning',
  'additional_tools',
  'function_call',
  'custom_tool_call',
  'function_call_output',
  'custom_tool_call_output',
])

/** Types of content parts. Some clients send parts as items, without a message. */
export const partTypes: ReadonlySet<string> = new Set([
  'text',
  'input_text',
  'input_image',
  'image_url',
  'input_file',
  'input_audio',
])

/** The types of the items that cannot be translated to other protocols, each once. */
export function listUntranslatableItemTypes(input: unknown): string[] {
  const types = new Set<string>()
  for (const item of (Array.isArray(input) ? input : []) as Item[]) {
    if (isToolSearchCall(item) || isToolSearchOutput(item) || isGeneratedImage(item)) continue
    const { type } = item
    if (typeof type === 'string' && !translatableItemTypes.has(type) && !partTypes.has(type)) types.add(type)
  }
  return [...types]
}
