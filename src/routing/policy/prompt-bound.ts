import type { Endpoint } from '#catalogue/model.ts'
import { holdsConversation } from '#chat/conversation-fields.ts'
import { ownFields } from '#chat/own-fields.ts'
import type { Body } from '../translate/protocol.ts'
import { kindOf, type Medium, mediumOf, mediumTokenBound } from './medium.ts'

/** Tokens that frame one message. */
const tokensOfFrame = 8

/** Tokens that frame all messages, with the longest system text of a provider: close to 700. */
export const tokensOfRequest = 1024

/** Tokens of a provider's own instructions about tools; Anthropic's are the longest, up to 530. */
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

/** The size of a body: its text, in tokens at most, and its media. */
export type PromptSize = { text: number; media: Medium[] }

/** A body is measured once, however many endpoints are asked. */
const measured = new WeakMap<Body, PromptSize>()

/**
 * The most that a body's prompt may come to. Whatever a provider may see counts, known or not: no token is shorter than
 * a byte, in any script.
 */
function promptSize(body: Body): PromptSize {
  const known = measured.get(body)
  if (known) return known
  const size: PromptSize = { text: tokensOfRequest, media: [] }
  for (const name in body) if (!ownFields.has(name) && !unread.has(name)) addField(size, name, body[name])
  measured.set(body, size)
  return size
}

function addField(size: PromptSize, name: string, value: unknown): void {
  if (holdsConversation(name) && Array.isArray(value)) {
    for (const turn of value) addTurn(size, turn)
    return
  }
  size.text += bytesOf(value)
  if ((name === 'tools' || name === 'functions') && Array.isArray(value) && value.length > 0)
    size.text += tokensAboutTools
}

/** The most tokens of the prompt at one endpoint, and whether it is text alone, of which no provider counts more. */
export function promptBound(body: Body, endpoint: Endpoint): { tokens: number; exact: boolean } {
  const { text, media } = promptSize(body)
  const tokens = media.reduce((sum, medium) => sum + mediumTokenBound(medium, endpoint), text)
  return { tokens: Math.min(tokens, endpoint.contextLength), exact: media.length === 0 }
}

/** Fields of a message or an input item that hold parts, or one part. */
const partFields: ReadonlySet<string> = new Set(['content', 'output', 'outputs', 'images', 'audio'])

function addTurn(size: PromptSize, turn: Body): void {
  if (turn.type === 'image_generation_call') return addPart(size, turn)
  size.text += tokensOfFrame
  for (const name in turn) {
    const value = turn[name]
    size.text += bytesOf(name)
    if (!partFields.has(name) || typeof value !== 'object' || value === null) size.text += bytesOf(value)
    else if (Array.isArray(value)) for (const part of value) addPart(size, part)
    else addPart(size, value as Body)
  }
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

function addPart(size: PromptSize, part: Body | null): void {
  if (part === null || typeof part !== 'object' || textual.has(part.type)) {
    size.text += bytesOf(part)
    return
  }
  let found = part.type === 'tool_result'
  const text = JSON.stringify(part, function (this: Body, name, value: unknown) {
    if (typeof value !== 'string' || !byteFields.has(name)) return value
    found = true
    if (isPlainText(this, value)) return value
    size.media.push(mediumOf(this.media_type ?? part.type, value, this.format))
    return ''
  })
  size.text += Buffer.byteLength(text)
  // A reference to a file at the provider, whose size is not known here.
  if (!found) size.media.push({ kind: kindOf(String(part.type)) })
}

/** Documents in plain text stand where others have bytes. */
function isPlainText(within: Body, value: string): boolean {
  return within.type === 'text' || value.startsWith('data:text/')
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
