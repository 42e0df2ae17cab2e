import type { Endpoint } from '#catalogue/index/model.ts'
import { isConversationField } from '#chat/fields/conversation-fields.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { runWithoutPauses, type Steps } from '#platform/async/long-work.ts'
import { writeInSteps } from '#platform/json/json-text/json-steps.ts'
import { mediumTokenBound } from '../../media/medium.ts'
import type { Body } from '../../protocol/request-body.ts'
import { addParts, addUnknown, bytesOf, isMediaPart, isPlainField, type PromptSize } from '../prompt-parts.ts'

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
  const size: PromptSize = { textTokens: requestFrameTokens, media: [], pendingParts: [] }
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
    for (const item of Array.isArray(value) ? value : [value]) yield* addItem(size, item)
    return
  }
  if (instructionFields.has(name)) return addParts(size, value)
  yield* addText(size, value)
  const hasTools = (name === 'tools' || name === 'functions') && Array.isArray(value) && value.length > 0
  // Models without response formats get a tool instead, so a format costs as much as a tool.
  if (hasTools || isResponseFormat(name, value)) size.textTokens += toolInstructionTokens
}

function isResponseFormat(name: string, value: unknown): boolean {
  if (name !== 'response_format' && name !== 'output_config') return false
  const { json_schema, format } = (value ?? {}) as { json_schema?: unknown; format?: unknown }
  return (json_schema ?? format) != null
}

function* addText(size: PromptSize, value: unknown): Steps<void> {
  if (typeof value !== 'object' || value === null) size.textTokens += bytesOf(value)
  else
    yield* writeInSteps(value, (piece) => {
      size.textTokens += Buffer.byteLength(piece)
    })
}

/**
 * The maximum tokens of the prompt at one endpoint. `isExact`: it contains only text, so no provider counts more.
 * @param limit the most tokens that the endpoint accepts.
 */
export function promptBound(
  body: Body,
  endpoint: Endpoint,
  limit = endpoint.contextLength,
): { tokens: number; isExact: boolean } {
  const { textTokens, media } = promptSize(body)
  const tokens = media.reduce((sum, medium) => sum + mediumTokenBound(medium, endpoint), textTokens)
  return { tokens: Math.min(tokens, limit), isExact: media.length === 0 }
}

/** Fields of a message or an input item that hold parts, or one part. */
const partFields: ReadonlySet<string> = new Set(['content', 'output', 'outputs', 'images', 'audio'])

/** Fields whose whole value counts as text: tool calls, tool results and reasoning. */
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

function* addItem(size: PromptSize, item: Body | null): Steps<void> {
  size.textTokens += frameTokens
  if (typeof item !== 'object' || item === null || Array.isArray(item) || isMediaPart(item)) return addParts(size, item)
  for (const name in item) {
    const value = item[name]
    if (partFields.has(name)) {
      size.textTokens += bytesOf(name)
      addParts(size, value)
    } else if (textFields.has(name) || isPlainField(name, value)) {
      size.textTokens += bytesOf(name)
      yield* addText(size, value)
    } else addUnknown(size, name, value)
  }
  yield
}
