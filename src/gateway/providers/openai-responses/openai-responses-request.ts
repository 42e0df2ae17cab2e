import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { readCallLimit } from '../../pricing/billable-options.ts'
import { chooseEffort, readReasoningOptions } from '../../protocol/reasoning-options.ts'
import { readChoiceKeyword } from '../../protocol/repairs/tool-choice.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readChosenFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import { toResponsesChoice } from '../../protocol/tool-conversions.ts'
import { emptyRequestFault } from '../empty-request.ts'
import { encodeProviderTool, toSearchTool } from '../openai/openai-tools.ts'
import { encodeInputItems } from './openai-responses-input.ts'

/** OpenAI refuses a smaller limit. */
const minOutputTokens = 16

/** Encodes a chat request. Nothing is stored, and reasoning is requested in encrypted form. */
export function encodeResponsesRequest(chat: ChatRequest, endpoint: Endpoint): Body {
  const canReason = endpoint.supportedParameters.includes('reasoning')
  const input = encodeInputItems(chat.messages)
  if (input.length === 0) throw emptyRequestFault()
  const tools = encodeTools(chat)
  return withoutNulls({
    input,
    store: false,
    max_output_tokens: computeOutputLimit(chat),
    temperature: chat.temperature,
    top_p: chat.top_p,
    tools: tools.length > 0 ? tools : undefined,
    max_tool_calls: readCallLimit((chat as Body).max_tool_calls),
    tool_choice: chat.tools?.length ? encodeToolChoice(chat.tool_choice) : undefined,
    parallel_tool_calls: chat.tools?.length ? chat.parallel_tool_calls : undefined,
    text: encodeTextOptions(chat),
    // OpenAI's models without reasoning refuse `reasoning` and this value of `include`.
    reasoning: canReason ? encodeReasoning(chat) : undefined,
    include: canReason ? ['reasoning.encrypted_content'] : undefined,
    service_tier: acceptedServiceTiers.has(chat.service_tier) ? chat.service_tier : undefined,
    metadata: chat.metadata,
    user: chat.user,
    safety_identifier: chat.safety_identifier,
    prompt_cache_key: chat.prompt_cache_key,
    prompt_cache_retention: chat.prompt_cache_retention,
    prompt_cache_options: chat.prompt_cache_options,
  })
}

/** OpenAI refuses the service tiers of other providers. */
const acceptedServiceTiers: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])

/** The output limit that is sent for a request. */
export function computeOutputLimit(chat: ChatRequest): number | undefined {
  const limit = outputLimitOf(chat)
  return limit && Math.max(limit, minOutputTokens)
}

function encodeTools(chat: ChatRequest): Body[] {
  const search = toSearchTool(chat)
  const tools: ChatTool[] = [...(chat.tools ?? [])]
  if (search) tools.push(search)
  return tools.map(encodeTool).filter((tool) => tool !== undefined)
}

/** Functions default to not strict, as in chat completions. The default of this protocol is strict. */
function encodeTool(tool: ChatTool): Body | undefined {
  if (!tool.function) return encodeProviderTool(tool)
  const { name, description, parameters, strict } = tool.function
  return {
    type: 'function',
    name,
    ...(description != null && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  }
}

/**
 * Encodes `tool_choice`: a string such as `required`, one function, or a form of another client protocol. A value that is none of
 * these is sent unchanged, so that the provider reports it.
 */
function encodeToolChoice(choice: ChatRequest['tool_choice']): unknown {
  if (choice == null) return choice
  if (typeof choice === 'string') return readChoiceKeyword(choice) ?? choice
  const name = readChosenFunction(choice)
  if (name !== undefined) return { type: 'function', name }
  // `{ type: 'any' }` of Anthropic's clients means a string. `allowed_tools` and built-in tools have another form in this protocol.
  return readChoiceKeyword((choice as { type?: unknown }).type) ?? toResponsesChoice(choice) ?? choice
}

function encodeTextOptions({ response_format: format, verbosity }: ChatRequest): Body | undefined {
  const textFormat = format?.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format
  return textFormat || verbosity != null ? withoutNulls({ format: textFormat, verbosity }) : undefined
}

/** Requests a summary if the client sets `reasoning`, but not if it sets only `reasoning_effort`. */
function encodeReasoning(chat: ChatRequest): Body | undefined {
  const setting = readReasoningOptions(chat)
  if (!setting) return undefined
  if (!setting.enabled) return { effort: 'none' }
  const { summary, exclude } = (chat.reasoning ?? {}) as { summary?: string | null; exclude?: boolean }
  return withoutNulls({
    effort: chooseEffort(setting),
    summary: exclude || !chat.reasoning ? undefined : (summary ?? 'auto'),
  })
}
