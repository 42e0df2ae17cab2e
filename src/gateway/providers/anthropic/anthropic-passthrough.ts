import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { isEncodedThought } from '#chat/thought-encoding.ts'
import { answerLimitOf, renameAnswerLimit } from '#chat/tokens/answer-limit.ts'
import type { Body } from '../../protocol/request-body.ts'
import { emptyRequestFault } from '../empty-request.ts'
import { withoutServiceFields } from '../service-fields.ts'
import { defaultMaxTokens } from './anthropic-request.ts'
import { thinkingSettings } from './anthropic-thinking.ts'

type Turn = { role?: unknown; content?: unknown }
type Block = { type?: unknown; signature?: unknown; data?: unknown; citations?: unknown }

/**
 * Adapts a client's messages body for Anthropic: removes fields of this service, and reasoning of other providers, which
 * Anthropic would refuse.
 */
export function adaptForAnthropic(body: Body, endpoint: Endpoint): Body {
  const sent = withoutServiceFields(body)
  sent.model = endpoint.upstreamModel
  renameAnswerLimit(sent, 'max_tokens')
  // 0 fills the prompt cache without an answer; `renameAnswerLimit` keeps only limits from 1 on.
  if (body.max_tokens === 0) sent.max_tokens = 0
  sent.max_tokens ??= endpoint.maxCompletionTokens ?? defaultMaxTokens
  const turns = (Array.isArray(body.messages) ? body.messages : []) as Turn[]
  const adaptedTurns = turns.map(withoutForeignThoughts)
  const isChanged = adaptedTurns.some((turn, index) => turn !== turns[index])
  if (isChanged) sent.messages = withoutEmptyTurns(adaptedTurns)
  if (body.reasoning !== undefined) Object.assign(sent, withAnthropicThinking(sent, endpoint))
  // Claude refuses reasoning after a call whose reasoning is missing.
  if (isChanged && answersTool(turns)) delete sent.thinking
  return sent
}

function withoutEmptyTurns(turns: Turn[]): Turn[] {
  const remaining = turns.filter(({ content }) => !Array.isArray(content) || content.length > 0)
  if (remaining.length === 0) throw emptyRequestFault()
  return remaining
}

function withoutForeignThoughts(turn: Turn): Turn {
  if (turn?.role !== 'assistant' || !Array.isArray(turn.content)) return turn
  const content = turn.content.filter((block: Block | null) => !isForeignThought(block)).map(withoutForeignSources)
  const original = turn.content as Block[]
  const isUnchanged = content.length === original.length && content.every((block, index) => block === original[index])
  return isUnchanged ? turn : { ...turn, content }
}

/** Removes citations of other providers, which have an empty `encrypted_index`. Anthropic accepts only its own. */
function withoutForeignSources(block: Block | null): Block | null {
  const { citations } = block ?? {}
  if (!Array.isArray(citations)) return block
  const ownCitations = citations.filter(
    (citation: { encrypted_index?: unknown } | null) => citation?.encrypted_index !== '',
  )
  if (ownCitations.length === citations.length) return block
  return { ...block, citations: ownCitations.length > 0 ? ownCitations : null }
}

/** Whether reasoning came from another provider: this service encoded it, or it has no signature. */
function isForeignThought(block: Block | null): boolean {
  const { type, signature, data } = block ?? {}
  if (type !== 'thinking' && type !== 'redacted_thinking') return false
  const proof = type === 'thinking' ? signature : data
  return typeof proof !== 'string' || proof === '' || isEncodedThought(proof)
}

function answersTool(turns: Turn[]): boolean {
  const content = turns.at(-1)?.content
  return Array.isArray(content) && content.some((block: Block | null) => block?.type === 'tool_result')
}

/** Translates `reasoning`, which OpenRouter's clients send, to Anthropic's settings. */
function withAnthropicThinking({ reasoning, ...sent }: Body, endpoint: Endpoint): Body {
  const choice = sent.tool_choice as { type?: string } | undefined
  // Claude refuses reasoning beside a forced call. `thinking` of the client takes precedence.
  const isToolOptional = choice?.type === undefined || choice.type === 'auto' || choice.type === 'none'
  // Only the fields that `thinkingSettings` reads. Without messages it skips the check of earlier calls, which the caller does.
  const request = {
    messages: [],
    reasoning: isToolOptional && sent.thinking == null ? reasoning : null,
  } as unknown as ChatRequest
  // A limit of 0, which only fills the prompt cache, counts as 1.
  const { thinking, effort, maxTokens, canSample } = thinkingSettings(request, endpoint, answerLimitOf(sent) ?? 1)
  const config = effort === undefined ? sent.output_config : { effort, ...(sent.output_config as object | undefined) }
  return {
    reasoning: undefined,
    max_tokens: maxTokens,
    ...(thinking && { thinking }),
    ...(config !== undefined && { output_config: config }),
    ...(thinking && !canSample && { temperature: undefined, top_p: undefined, top_k: undefined }),
  }
}
