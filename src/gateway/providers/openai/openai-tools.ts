import type { ChatTool } from '#chat/chat-request.ts'
import {
  type BillableOptions,
  listProviderTools,
  type ProviderTool,
  readCallLimit,
  readRequestedTier,
  toToolName,
} from '../../pricing/billable-options.ts'
import type { Body } from '../../protocol/request-body.ts'

/** OpenAI's tools that a chat can request, and the fields of each that are sent. */
const toolFields: Record<string, string[]> = {
  web_search: ['filters', 'search_context_size', 'user_location'],
  web_search_preview: ['search_context_size', 'user_location'],
  file_search: ['vector_store_ids', 'max_num_results', 'filters', 'ranking_options'],
  code_interpreter: ['container'],
}

/** Matches tools of Anthropic, whose types end with a date (`web_search_20250305`). */
const anthropicToolType = /_\d{8}$/

/** Translates a custom tool, or a tool that OpenAI runs, field by field. Undefined for an unknown tool. */
export function encodeProviderTool(tool: ChatTool): Body | undefined {
  if (tool.type === undefined || anthropicToolType.test(tool.type)) return undefined
  if (tool.type === 'custom') return encodeCustomTool(tool)
  const name = toToolName(tool.type)
  if (!Object.hasOwn(toolFields, name)) return undefined
  const fields = toolFields[name]!.filter((field) => (tool as Body)[field] != null).map((field) => [
    field,
    (tool as Body)[field],
  ])
  return { type: tool.type, ...Object.fromEntries(fields) }
}

/** The tool that `web_search_options` of a chat request means. */
export function toSearchTool(chat: Body): ChatTool | undefined {
  if (chat.web_search_options == null) return undefined
  const { search_context_size, user_location } = asObject(chat.web_search_options)
  const { approximate, ...location } = asObject(user_location)
  return {
    type: 'web_search',
    ...(search_context_size != null && { search_context_size }),
    ...(user_location != null && { user_location: { ...location, ...asObject(approximate) } }),
  }
}

const asObject = (value: unknown): Body => (typeof value === 'object' && value !== null ? (value as Body) : {})

/** Translates a custom tool, which a chat describes in the field `custom`. */
function encodeCustomTool(tool: ChatTool): Body | undefined {
  const { custom } = tool as { custom?: { name?: string; description?: string; format?: Body } }
  if (!custom) return undefined
  const { name, description, format } = custom
  const shape = format?.grammar ? { type: format.type, ...(format.grammar as Body) } : format
  return { type: 'custom', name, ...(description != null && { description }), ...(shape && { format: shape }) }
}

/**
 * The billable options of a request to a responses API: of its body, or of the chat request that is translated to it, which
 * can have `web_search_options`.
 */
export function readResponsesBillableOptions(request: Body): BillableOptions {
  const calls = readCallLimit(request.max_tool_calls)
  const tools = listProviderTools(request, (tool) => {
    const name = toToolName(String(tool.type))
    return {
      unit: name + toContainerSizeSuffix(tool),
      maxCalls: calls,
      limitField: 'max_tool_calls',
      // Responses report calls of `web_search_preview` as `web_search_call`.
      reportedUnit: name.replace(/_preview$/, ''),
    }
  })
  if (request.web_search_options != null)
    tools.push({ unit: 'web_search', requestedBy: 'web_search_options', maxCalls: calls, limitField: 'max_tool_calls' })
  return {
    tools,
    serviceTier: readRequestedTier(request),
    rereadsContext: true,
    canCompact: requestsCompaction(request),
  }
}

function requestsCompaction({ context_management: management }: Body): boolean {
  return Array.isArray(management) && management.some((edit: Body | null) => edit?.type === 'compaction')
}

/** The calls of provider tools that xAI counts in its usage, by the name of the tool. */
export function readToolCallCounts({ server_side_tool_usage_details: details }: Body): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(asObject(details))
      .filter(([name, calls]) => name.endsWith('_calls') && calls !== 0)
      .map(([name, calls]) => [name.slice(0, -'_calls'.length), calls]),
  )
}

/** Clients can send any text as a size. */
const maxSizeLength = 8

/** The suffix of a unit for a container with more memory than the smallest (1 GB), because OpenAI bills it by size. */
function toContainerSizeSuffix({ container }: Body): string {
  const { memory_limit: limit } = (container ?? {}) as { memory_limit?: unknown }
  return typeof limit === 'string' && limit !== '1g' ? `:${limit.slice(0, maxSizeLength)}` : ''
}

/** The billable options of a request to a chat API, with the search fields of several providers. */
export function readChatBillableOptions(chat: Body): BillableOptions {
  const tools: ProviderTool[] = listProviderTools(chat, ({ type }) => ({
    unit: toToolName(String(type)),
    maxCalls: undefined,
  }))
  // OpenAI's search models search once, before they answer. Their usage does not count it.
  if (chat.web_search_options != null)
    tools.push({ unit: 'web_search', requestedBy: 'web_search_options', maxCalls: 1, unreportedCalls: 1 })
  for (const name of ['search_parameters', 'enable_search'])
    if (isEnabled(chat[name])) tools.push({ unit: name, requestedBy: name, maxCalls: undefined })
  return { tools, serviceTier: readRequestedTier(chat), rereadsContext: true }
}

function isEnabled(value: unknown): boolean {
  return value != null && value !== false && (value as { mode?: unknown }).mode !== 'off'
}
