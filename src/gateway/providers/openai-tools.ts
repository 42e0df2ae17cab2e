import type { ChatTool } from '#chat/chat-request.ts'
import {
  type BillableOptions,
  callsIn,
  type ProviderTool,
  providerTools,
  requestedTier,
  unitOfType,
} from '../pricing/billable-options.ts'
import type { Body } from '../protocol/protocol.ts'

/** OpenAI's own tools that a chat may ask for, and the fields of each that are sent on. */
const kinds: Record<string, string[]> = {
  web_search: ['filters', 'search_context_size', 'user_location'],
  web_search_preview: ['search_context_size', 'user_location'],
  file_search: ['vector_store_ids', 'max_num_results', 'filters', 'ranking_options'],
  code_interpreter: ['container'],
}

/** The same names with a day of Anthropic's spelling are other tools. */
const anthropics = /_\d{8}$/

/** A tool that is no function of the client's, field by field. Undefined for one that is not known here. */
export function ownTool(tool: ChatTool): Body | undefined {
  if (tool.type === undefined || anthropics.test(tool.type)) return undefined
  if (tool.type === 'custom') return customTool(tool)
  const unit = unitOfType(tool.type)
  if (!Object.hasOwn(kinds, unit)) return undefined
  const kept = kinds[unit]!.filter((name) => (tool as Body)[name] != null).map((name) => [name, (tool as Body)[name]])
  return { type: tool.type, ...Object.fromEntries(kept) }
}

/** One that is called with free text; in a chat what it is stands in a member of its own. */
function customTool(tool: ChatTool): Body | undefined {
  const { custom } = tool as { custom?: { name?: string; description?: string; format?: Body } }
  if (!custom) return undefined
  const { name, description, format } = custom
  const shape = format?.grammar ? { type: format.type, ...(format.grammar as Body) } : format
  return { type: 'custom', name, ...(description != null && { description }), ...(shape && { format: shape }) }
}

/** Of a responses body, or of a chat that is put in its words. */
export function responsesBillable(form: Body): BillableOptions {
  const calls = callsIn(form.max_tool_calls)
  const tools = providerTools(form, (tool) => {
    const unit = unitOfType(String(tool.type))
    return { unit: unit + sizeOf(tool), calls, bound: 'max_tool_calls', reported: unit.replace(/_preview$/, '') }
  })
  return { tools, serviceTier: requestedTier(form), rereads: true }
}

/** A container larger than the least has a price of its own. */
function sizeOf({ container }: Body): string {
  const { memory_limit: limit } = (container ?? {}) as { memory_limit?: unknown }
  return typeof limit === 'string' && limit !== '1g' ? `:${limit.slice(0, 8)}` : ''
}

/** Of a chat: its own field for searching, and those of others who speak its protocol. */
export function chatBillable(chat: Body): BillableOptions {
  const tools: ProviderTool[] = providerTools(chat, ({ type }) => ({
    unit: unitOfType(String(type)),
    calls: undefined,
  }))
  // Models that search do so once, before they answer.
  if (chat.web_search_options != null) tools.push({ unit: 'web_search', requestedBy: 'web_search_options', calls: 1 })
  for (const name of ['search_parameters', 'enable_search'])
    if (isOn(chat[name])) tools.push({ unit: name, requestedBy: name, calls: undefined })
  return { tools, serviceTier: requestedTier(chat), rereads: true }
}

function isOn(value: unknown): boolean {
  return value != null && value !== false && (value as { mode?: unknown }).mode !== 'off'
}
