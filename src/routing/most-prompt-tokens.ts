import { ownFields } from '#chat/own-fields.ts'
import type { Body } from './wire.ts'

/** What a part that is not text may count as, in tokens: nobody can know before the provider says. */
const tokensOfMedia = 4096

/** What stands around a message, and around all of them. */
const tokensOfFrame = 8
const tokensOfRequest = 16

/** What a provider may tell a model about tools beside the tools themselves; Anthropic's is the longest, up to 530. */
const tokensAboutTools = 600

/** Fields of a body that no model reads. */
const unread: ReadonlySet<string> = new Set([
  'model',
  'stream_options',
  'logit_bias',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
])

/**
 * The most tokens that a body's prompt may have. Whatever a provider may see counts, known or not: no token is shorter
 * than a byte. Only the bytes of images, audio and files are no text.
 */
export function mostPromptTokens(body: Body): number {
  let tokens = tokensOfRequest
  for (const name in body) {
    if (ownFields.has(name) || unread.has(name)) continue
    const value = body[name]
    if ((name === 'messages' || name === 'input') && Array.isArray(value)) {
      for (const turn of value) tokens += ofTurn(turn)
    } else tokens += bytesOf(value)
    if ((name === 'tools' || name === 'functions') && Array.isArray(value) && value.length > 0)
      tokens += tokensAboutTools
  }
  return tokens
}

/** Fields of a message or an input item that hold parts, or one part. */
const partFields: ReadonlySet<string> = new Set(['content', 'output', 'outputs', 'images', 'audio'])

function ofTurn(turn: Body): number {
  if (turn.type === 'image_generation_call') return ofPart(turn)
  let tokens = tokensOfFrame
  for (const name in turn) {
    const value = turn[name]
    tokens += bytesOf(name)
    if (!partFields.has(name) || typeof value !== 'object' || value === null) tokens += bytesOf(value)
    else if (Array.isArray(value)) for (const part of value) tokens += ofPart(part)
    else tokens += ofPart(value as Body)
  }
  return tokens
}

/** Parts that are text through and through. */
const textual: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'refusal',
  'summary_text',
  'reasoning_text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'logs',
])

/** Within other parts, what holds bytes or the address of bytes. */
const byteFields: ReadonlySet<string> = new Set([
  'url',
  'image_url',
  'video_url',
  'audio_url',
  'file_url',
  'file_data',
  'data',
  'b64_json',
  'result',
])

function ofPart(part: Body | null): number {
  if (part === null || typeof part !== 'object' || textual.has(part.type)) return bytesOf(part)
  let media = 0
  const text = JSON.stringify(part, function (this: Body, name, value: unknown) {
    if (typeof value !== 'string' || !byteFields.has(name) || isPlainText(this, value)) return value
    media++
    return ''
  })
  const least = part.type === 'tool_result' ? 0 : 1
  return Buffer.byteLength(text) + Math.max(media, least) * tokensOfMedia
}

/** Documents in plain text stand where others have bytes. */
function isPlainText(within: Body, value: string): boolean {
  return within.type === 'text' || value.startsWith('data:text/')
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
