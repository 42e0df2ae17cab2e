import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { simplifyToolChoice } from '../../protocol/repairs/tool-choice.ts'
import type { Body } from '../../protocol/request-body.ts'
import { readChosenFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import { emptyRequestFault } from '../empty-request.ts'
import { computeThinkingSettings, type ThinkingSettings } from './anthropic-thinking.ts'
import { encodeProviderTool } from './anthropic-tools.ts'
import { type Block, encodeSystem, encodeTurns } from './anthropic-turns.ts'

/** The output limit if neither the request nor the catalogue has one. Anthropic requires a number. */
export const defaultMaxTokens = 4096

/** Encodes a chat request for Anthropic. */
export function encodeAnthropicRequest(chatRequest: ChatRequest, endpoint: Endpoint, stream: boolean): Body {
  const chat = simplifyToolChoice(chatRequest)
  const { system, turns } = encodePrompt(chat.messages)
  const { thinking, effort, maxTokens, canSample } = thinkingSettingsFor(chat, endpoint)
  const stop = typeof chat.stop === 'string' ? [chat.stop] : chat.stop
  return withoutNulls({
    model: endpoint.upstreamModel,
    stream,
    max_tokens: maxTokens,
    system: system.length > 0 ? system : undefined,
    messages: turns,
    ...(canSample && encodeSampling(chat)),
    stop_sequences: stop?.length ? stop : undefined,
    tools: chat.tools?.length ? chat.tools.flatMap((tool) => encodeTool(tool) ?? []) : undefined,
    tool_choice: encodeToolChoice(chat),
    thinking,
    output_config: encodeOutputConfig(chat, effort),
    cache_control: chat.cache_control,
    metadata: encodeEndUser(chat),
    service_tier: serviceTiers[chat.service_tier ?? ''],
  })
}

/** Anthropic requires at least one message. Without one, the instructions become the message. */
function encodePrompt(messages: ChatRequest['messages']) {
  const system = encodeSystem(messages)
  const turns = encodeTurns(messages)
  if (turns.length > 0) return { system, turns }
  if (system.length === 0) throw emptyRequestFault()
  return { system: [], turns: [{ role: 'user' as const, content: system }] }
}

/** The settings for reasoning of a request, with the output limit of the request, the catalogue or this file. */
export function thinkingSettingsFor(chat: ChatRequest, endpoint: Endpoint): ThinkingSettings {
  const limit = outputLimitOf(chat) ?? endpoint.maxCompletionTokens ?? defaultMaxTokens
  return computeThinkingSettings(chat, endpoint, limit)
}

/** Limits the temperature to 1. Omits `top_p` beside it, because newer models accept only one of them. */
function encodeSampling({ temperature, top_p, top_k }: ChatRequest): Body {
  if (temperature == null) return { top_p, top_k }
  return { temperature: Math.min(temperature, 1), top_k }
}

/** OpenAI replaces `user` by `safety_identifier`. */
function encodeEndUser({ user, safety_identifier }: ChatRequest): Body | undefined {
  const id = user || safety_identifier
  return id ? { user_id: id } : undefined
}

/** Anthropic's service tiers for those of OpenAI. `auto` uses priority capacity if the account has any. */
export const serviceTiers: Record<string, string> = { auto: 'auto', priority: 'auto', default: 'standard_only' }

function encodeTool(tool: ChatTool): Block | undefined {
  if (!tool.function) return encodeProviderTool(tool)
  const { name, description, parameters, strict } = tool.function
  return withoutNulls({
    name,
    description,
    input_schema: parameters ?? { type: 'object', properties: {} },
    strict: strict === true ? true : undefined,
    // Clients of LiteLLM have it in the function.
    cache_control: (tool as { cache_control?: unknown }).cache_control ?? tool.function.cache_control,
  })
}

function encodeToolChoice({
  tool_choice: choice,
  parallel_tool_calls: parallel,
  tools,
}: ChatRequest): Block | undefined {
  if (!tools?.length) return undefined
  const parallelism = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required' || choice === 'any') return { type: 'any', ...parallelism }
  const name = readChosenFunction(choice)
  if (name) return { type: 'tool', name, ...parallelism }
  return parallel === false ? { type: 'auto', ...parallelism } : undefined
}

/** The schema of a response format. Undefined for formats without one, which Anthropic lacks. */
export function findFormatSchema(format: ChatRequest['response_format']): object | undefined {
  const { schema } = (format?.type === 'json_schema' ? (format.json_schema ?? {}) : {}) as { schema?: unknown }
  return typeof schema === 'object' && schema !== null ? schema : undefined
}

function encodeOutputConfig({ response_format }: ChatRequest, effort: string | undefined): Block | undefined {
  const schema = findFormatSchema(response_format)
  const format = schema ? { type: 'json_schema', schema } : undefined
  return format || effort ? withoutNulls({ effort, format }) : undefined
}
