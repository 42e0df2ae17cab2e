import type { ChatTool } from '#chat/chat-request.ts'
import { type BillableOptions, listProviderTools, readCallLimit, toToolName } from '../../pricing/billable-options.ts'
import type { Body } from '../../protocol/request-body.ts'
import type { Block } from './anthropic-turns.ts'

/** Anthropic's tools, with the fields of each tool that are sent. `hasCallLimit`: whether `max_uses` limits the calls. */
const anthropicTools: { type: RegExp; fields: string[]; hasCallLimit?: true }[] = [
  {
    type: /^web_search_\d{8}$/,
    fields: ['max_uses', 'allowed_domains', 'blocked_domains', 'user_location'],
    hasCallLimit: true,
  },
  {
    type: /^web_fetch_\d{8}$/,
    fields: ['max_uses', 'allowed_domains', 'blocked_domains', 'citations', 'max_content_tokens'],
    hasCallLimit: true,
  },
  { type: /^code_execution_\d{8}$/, fields: [] },
  { type: /^tool_search_tool_(?:bm25|regex)_\d{8}$/, fields: [] },
  // The client runs these tools. Claude knows their schemas.
  {
    type: /^(?:bash|text_editor|computer|memory)_\d{8}$/,
    fields: ['display_width_px', 'display_height_px', 'display_number', 'max_characters'],
  },
  { type: /^custom$/, fields: ['description', 'input_schema', 'strict', 'defer_loading'] },
]

const findAnthropicTool = (type: unknown) =>
  anthropicTools.find((anthropicTool) => typeof type === 'string' && anthropicTool.type.test(type))

/** Translates a tool of Anthropic field by field. Undefined for an unknown tool. */
export function encodeProviderTool(tool: ChatTool): Block | undefined {
  const anthropicTool = findAnthropicTool(tool.type)
  // Custom tools of other protocols have free text, which this protocol does not support.
  if (!anthropicTool || 'custom' in tool) return undefined
  const sent: Block = {}
  for (const name of ['type', 'name', 'cache_control', ...anthropicTool.fields])
    if ((tool as Body)[name] != null) sent[name] = (tool as Body)[name]
  return sent
}

/** A tool with which the model asks another model. */
const advisorType = /^advisor_\d{8}$/

/** The billable options of a messages body, or of a chat request. */
export function readAnthropicBillableOptions(request: Body): BillableOptions {
  const tools = listProviderTools(request, (tool, path) => {
    const anthropicTool = findAnthropicTool(tool.type)
    const unit = toToolName(String(tool.type))
    const isAdvisor = advisorType.test(String(tool.type)) && typeof tool.model === 'string'
    if (!anthropicTool?.hasCallLimit && !isAdvisor) return { unit, maxCalls: undefined }
    const model = isAdvisor ? { name: String(tool.model), maxTokens: readCallLimit(tool.max_tokens) } : undefined
    return { unit, maxCalls: readCallLimit(tool.max_uses), limitField: `${path}.max_uses`, ...(model && { model }) }
  })
  // Anthropic's `speed: "fast"` has a separate price, as service tiers have.
  const serviceTier = request.speed === 'fast' ? 'fast' : undefined
  return { tools, serviceTier, rereadsContext: true, canCompact: requestsCompaction(request) }
}

function requestsCompaction({ context_management: management }: Body): boolean {
  const { edits } = (management ?? {}) as { edits?: unknown }
  return Array.isArray(edits) && edits.some((edit: { type?: unknown } | null) => /^compact/.test(String(edit?.type)))
}
