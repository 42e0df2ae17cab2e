import type { Endpoint } from '#catalogue/index/model.ts'
import { isConversationField } from '#chat/fields/conversation-fields.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { runWithoutPauses, type Steps } from '#platform/async/long-work.ts'
import { writeInSteps } from '#platform/json/json-text/json-steps.ts'
import { mediumTokenBound } from '../../media/medium.ts'
import type { Body } from '../../protocol/protocol.ts'
import { addParts, addUnknown, bytesOf, isMediaPart, isPlainMember, type PromptSize } from '../prompt-parts.ts'

/** Tokens that a chat template adds to one message, such as its role and separators. An upper bound. */
const frameTokens = 8

/** Tokens that a provider adds to the whole prompt. An upper bound: the longest system text of a provider has close to 700. */
export const requestFrameTokens = 1024

/** Tokens of a provider's instructions about tools. Anthropic's are the longest, up to 530. */
const toolInstructionTokens = 600

/** Fields of a body that no model reads. */
const unreadFields: ReadonlySet<string> = new Set([
  'model',
  'stream_options',
  'logit_bias',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
])

/** Caches the size of each body, for several endpoints. */
const sizeByBody = new WeakMap<Body, PromptSize>()

/** The largest size of a prompt. Unknown fields count, too. A token has at least one byte in any script. */
function promptSize(body: Body): PromptSize {
  return sizeByBody.get(body) ?? runWithoutPauses(measurePrompt(body))
}

/** Measures the prompt of a long body in steps, before a bound is needed. Caches the size for `promptBound`. */
export function* measurePrompt(body: Body): Steps<PromptSize> {
  const size: PromptSize = { text: requestFrameTokens, media: [], pendingParts: [] }
  for (const name in body)
    if (!serviceOnlyFields.has(name) && !unreadFields.has(name)) yield* addField(size, name, body[name])
  for (let parts = size.pendingParts.pop(); parts !== undefined; parts = size.pendingParts.pop()) {
    for (const part of parts) {
      addParts(size, part)
      yield
    }
  }
  sizeByBody.set(body, size)
  return size
}

/** Fields of a body that hold instructions: a text, or parts. */
const instructionFields: ReadonlySet<string> = new Set(['system', 'instructions'])

function* addField(size: PromptSize, name: string, value: unknown): Steps<void> {
  if (isConversationField(name) && typeof value === 'object') {
    for (const turn of Array.isArray(value) ? value : [value]) yield* addTurn(size, turn)
    return
  }
  if (instructionFields.has(name)) return addParts(size, value)
  yield* addText(size, value)
  const hasTools = (name === 'tools' || name === 'functions') && Array.isArray(value) && value.length > 0
  // Models without answer formats get a tool instead, so a format costs as much as a tool.
  if (hasTools || isAnswerFormat(name, value)) size.text += toolInstructionTokens
}

function isAnswerFormat(name: string, value: unknown): boolean {
  if (name !== 'response_format' && name !== 'output_config') return false
  const { json_schema, format } = (value ?? {}) as { json_schema?: unknown; format?: unknown }
  return (json_schema ?? format) != null
}

function* addText(size: PromptSize, value: unknown): Steps<void> {
  if (typeof value !== 'object' || value === null) size.text += bytesOf(value)
  else
    yield* writeInSteps(value, (piece) => {
      size.text += Buffer.byteLength(piece)
    })
}

/**
 * The maximum tokens of the prompt at one endpoint. `exact`: it contains only text, so no provider counts more.
 * @param limit the most tokens that the endpoint accepts.
 */
export function promptBound(
  body: Body,
  endpoint: Endpoint,
  limit = endpoint.contextLength,
): { tokens: number; exact: boolean } {
  const { text, media } = promptSize(body)
  const tokens = media.reduce((sum, medium) => sum + mediumTokenBound(medium, endpoint), text)
  return { tokens: Math.min(tokens, limit), exact: media.length === 0 }
}

/** Fields of a message or an input item that hold parts, or one part. */
const partFields: ReadonlySet<string> = new Set(['content', 'output', 'outputs', 'images', 'audio'])

/** Fields that contain text in any member: tool calls, tool results and reasoning. */
const textFields: ReadonlySet<string> = new Set([
  'tool_calls',
  'function_call',
  'arguments',
  'input',
  'action',
  'actions',
  'tools',
  'results',
  'queries',
  'summary',
  'reasoning_details',
  'thinking_blocks',
  'annotations',
  'cache_control',
])

function* addTurn(size: PromptSize, turn: Body | null): Steps<void> {
  size.text += frameTokens
  if (typeof turn !== 'object' || turn === null || Array.isArray(turn) || isMediaPart(turn)) return addParts(size, turn)
  for (const name in turn) {
    const value = turn[name]
    if (partFields.has(name)) {
      size.text += bytesOf(name)
      addParts(size, value)
    } else if (textFields.has(name) || isPlainMember(name, value)) {
      size.text += bytesOf(name)
      yield* addText(size, value)
    } else addUnknown(size, name, value)
  }
  yield
}
