import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { isEncodedThought } from '#chat/thought-encoding.ts'
import { outputLimitOf, renameOutputLimit } from '#chat/tokens/output-limit.ts'
import type { Body } from '../../protocol/request-body.ts'
import { emptyRequestFault } from '../empty-request.ts'
import { withoutServiceFields } from '../service-fields.ts'
import { defaultMaxTokens } from './anthropic-request.ts'
import { acceptsLoneCalls, computeThinkingSettings } from './anthropic-thinking.ts'

type Turn = { role?: unknown; content?: unknown }
type Block = { type?: unknown; signature?: unknown; data?: unknown; citations?: unknown }

/**
 * Adapts a client's `/messages` body for Anthropic: removes fields of this service, and reasoning and citations of other
 * providers, which Anthropic would refuse.
 */
export function adaptForAnthropic(body: Body, endpoint: Endpoint): Body {
  const sent = withoutServiceFields(body)
  sent.model = endpoint.upstreamModel
  renameOutputLimit(sent, 'max_tokens')
  if (body.max_tokens === cacheOnlyLimit) sent.max_tokens = cacheOnlyLimit
  sent.max_tokens ??= endpoint.maxCompletionTokens ?? defaultMaxTokens
  const turns = (Array.isArray(body.messages) ? body.messages : []) as Turn[]
  const adaptedTurns = turns.map(withoutNonAnthropicContent)
  const hasRemovedContent = adaptedTurns.some((turn, index) => turn !== turns[index])
  if (hasRemovedContent) sent.messages = withoutEmptyTurns(adaptedTurns)
  if (body.reasoning !== undefined) translateReasoning(sent, endpoint)
  // Claude with budgets refuses reasoning after a call whose reasoning is missing.
  if (hasRemovedContent && endsWithToolResult(turns) && !acceptsLoneCalls(endpoint.upstreamModel)) delete sent.thinking
  return sent
}

/** An output limit that only fills the prompt cache. `renameOutputLimit` removes limits below 1. */
const cacheOnlyLimit = 0

function withoutEmptyTurns(turns: Turn[]): Turn[] {
  const remaining = turns.filter(({ content }) => !Array.isArray(content) || content.length > 0)
  if (remaining.length === 0) throw emptyRequestFault()
  return remaining
}

function withoutNonAnthropicContent(turn: Turn): Turn {
  if (turn?.role !== 'assistant' || !Array.isArray(turn.content)) return turn
  const content = turn.content
    .filter((block: Block | null) => !isNonAnthropicReasoning(block))
    .map(withoutNonAnthropicCitations)
  const original = turn.content as Block[]
  const isUnchanged = content.length === original.length && content.every((block, index) => block === original[index])
  return isUnchanged ? turn : { ...turn, content }
}

/** Removes citations of other providers, which have an empty `encrypted_index`. Anthropic refuses them. */
function withoutNonAnthropicCitations(block: Block | null): Block | null {
  const { citations } = block ?? {}
  if (!Array.isArray(citations)) return block
  const ownCitations = citations.filter(
    (citation: { encrypted_index?: unknown } | null) => citation?.encrypted_index !== '',
  )
  if (ownCitations.length === citations.length) return block
  return { ...block, citations: ownCitations.length > 0 ? ownCitations : null }
}

/** Whether a block is reasoning of another provider: this service encoded it, or it has no signature. */
function isNonAnthropicReasoning(block: Block | null): boolean {
  const { type, signature, data } = block ?? {}
  if (type !== 'thinking' && type !== 'redacted_thinking') return false
  const signatureOrData = type === 'thinking' ? signature : data
  return typeof signatureOrData !== 'string' || signatureOrData === '' || isEncodedThought(signatureOrData)
}

function endsWithToolResult(turns: Turn[]): boolean {
  const content = turns.at(-1)?.content
  return Array.isArray(content) && content.some((block: Block | null) => block?.type === 'tool_result')
}

/** Replaces `reasoning`, which OpenRouter's clients send, by Anthropic's settings. */
function translateReasoning(sent: Body, endpoint: Endpoint): void {
  const { reasoning, tool_choice, thinking: clientThinking } = sent
  delete sent.reasoning
  const choice = tool_choice as { type?: string } | undefined
  const isToolOptional = choice?.type === undefined || choice.type === 'auto' || choice.type === 'none'
  // Claude refuses reasoning beside a forced call. `thinking` of the client takes precedence.
  const options: Pick<ChatRequest, 'reasoning'> =
    isToolOptional && clientThinking == null ? { reasoning: reasoning as ChatRequest['reasoning'] } : {}
  const { thinking, effort, maxTokens, canSample } = computeThinkingSettings(
    { ...options, messages: [] },
    endpoint,
    outputLimitOf(sent) ?? minOutputLimit,
  )
  sent.max_tokens = maxTokens
  if (effort !== undefined) sent.output_config = { effort, ...(sent.output_config as object | undefined) }
  if (!thinking) return
  sent.thinking = thinking
  if (!canSample) for (const name of ['temperature', 'top_p', 'top_k']) delete sent[name]
}

/** The limit for which settings are computed if the client sends `cacheOnlyLimit`. */
const minOutputLimit = 1
