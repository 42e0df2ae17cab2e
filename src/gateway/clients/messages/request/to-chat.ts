import type { ChatRequest } from '#chat/chat-request.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { hashId } from '#chat/hash-id.ts'
import type { MessagesCall } from '#chat/messages-call.ts'
import { isOutputLimit, outputLimitOf } from '#chat/tokens/output-limit.ts'
import { Fault } from '#platform/core/fault.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { findSetFields } from '../../../protocol/repairs/unsupported-fields.ts'
import type { Body } from '../../../protocol/request-body.ts'
import { toChatTools } from './tools.ts'
import { hasBillingLine, listSkippedBlockTypes, toMessages } from './turns.ts'

/** Chat fields without a counterpart in this protocol that presets and clients can set. */
export const chatOnlyFields: ReadonlySet<string> = new Set([
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'seed',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'min_p',
  'top_a',
  'modalities',
  'image_config',
  'prompt_cache_options',
  'verbosity',
])

const unchangedFields = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'cache_control',
  ...serviceOnlyFields,
  ...chatOnlyFields,
]

const translatedFields: ReadonlySet<string> = new Set([
  ...unchangedFields,
  'messages',
  'system',
  'models',
  'fallbacks',
  'stop_sequences',
  'reasoning',
  'thinking',
  'output_config',
  'output_format',
  'service_tier',
  'user',
  'metadata',
  'tools',
  'tool_choice',
])

/** The fields and blocks of a body without a counterpart in chats, such as `mcp_servers` and `container`. */
export function listUntranslatedFields(body: Body): string[] {
  const names = Object.keys(body).filter((name) => !translatedFields.has(name) && !isOutputLimit(name))
  const fields = findSetFields(body, names)
  if (hasBillingLine(body.system)) fields.push('system.x-anthropic-billing-header')
  return [...fields, ...listSkippedBlockTypes(body.messages).map((type) => `messages.${type}`)]
}

/** Translates a messages body to a chat request. @throws Fault `invalid` for an invalid body. */
export function messagesToChat(body: Body): ChatRequest {
  if (body.thread != null) throw threadUnsupportedFault()
  const call = body as MessagesCall
  const messages = toMessages(call.system, call.messages)
  if (messages.length === 0)
    throw new Fault('invalid', 'messages: have no content. Send at least one with text, an image or a file.')
  const shared = Object.fromEntries(
    unchangedFields.filter((name) => body[name] != null).map((name) => [name, body[name]]),
  )
  return {
    ...shared,
    messages,
    ...withoutNulls({
      models: call.models ?? call.fallbacks?.map(({ model }) => model),
      // 0 fills the cache without a response. Other protocols cannot express that; 1 is closest.
      max_tokens: call.max_tokens === 0 ? 1 : outputLimitOf(body),
      stop: call.stop_sequences?.length ? call.stop_sequences : undefined,
      reasoning: toReasoning(call),
      response_format: toResponseFormat(call),
      service_tier: ownValue(serviceTiers, call.service_tier ?? ''),
      user: call.user ?? toEndUserId(call.metadata?.user_id),
    }),
    ...toChatTools(call),
  } as ChatRequest
}

/** Anthropic's clients recognize this error and send the whole conversation then. */
function threadUnsupportedFault(): Fault {
  const message = 'thread: this service stores no conversations. Send all messages, the system prompt and the tools.'
  return new Fault('invalid', message, {
    metadata: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
}

const serviceTiers: Record<string, string> = { auto: 'auto', standard_only: 'default' }

/** Other protocols have no effort above `xhigh`. The fields of this service take precedence. */
function toReasoning({ reasoning, thinking, output_config }: MessagesCall): Body | undefined {
  if (reasoning) return reasoning
  const effort = output_config?.effort === 'max' ? 'xhigh' : (output_config?.effort ?? undefined)
  // `between_tools` is the least reasoning of some models of Claude. Other models have no counterpart.
  if (thinking?.type === 'disabled' || thinking?.type === 'between_tools') return { enabled: false }
  if (thinking) return withoutNulls({ enabled: true, max_tokens: thinking.budget_tokens ?? undefined, effort })
  return effort === undefined ? undefined : { effort }
}

function toResponseFormat({ output_config, output_format }: MessagesCall): Body | undefined {
  const format = output_config?.format ?? output_format
  if (format?.type !== 'json_schema') return undefined
  return { type: 'json_schema', json_schema: { name: 'response', schema: format.schema } }
}

/** The maximum that other providers accept. */
const maxUserLength = 64

function toEndUserId(id: string | null | undefined): string | undefined {
  if (id == null || id.length <= maxUserLength) return id ?? undefined
  return hashId(id)
}
