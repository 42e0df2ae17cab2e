import { jsonBytes } from '#platform/json/json-text/json-bytes.ts'
import { type Medium, readMedium, toMediumKind } from '../media/medium.ts'
import type { Body } from '../protocol/request-body.ts'

/** The size of a body: an upper bound of the tokens of its text, and its media. */
export type PromptSize = {
  /** Each byte of text counts as one token. */
  textTokens: number
  media: Medium[]
  /** Lists of parts that are not measured yet, because a long body is measured in steps. */
  pendingParts: unknown[][]
}

/** Parts that contain only text. */
const textParts: ReadonlySet<unknown> = new Set([
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
  // An input of embeddings. Each token id has at least one digit, so its length bounds its tokens as for a text.
  'token_ids',
])

/** Parts that contain only other parts or text. */
const containerParts: ReadonlySet<unknown> = new Set(['tool_result', 'mcp_tool_result', 'search_result'])

/** Parts with one medium. Other parts can contain several. */
const mediaParts: ReadonlySet<unknown> = new Set([
  'image_url',
  'input_image',
  'image',
  'image_generation_call',
  'computer_screenshot',
  'input_audio',
  'audio',
  'audio_url',
  'video_url',
  'input_video',
  'video',
  'file',
  'input_file',
  'file_url',
  'document',
])

/** Fields of parts with bytes or the URL of bytes. */
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

/** References to files at the provider, whose size is unknown. */
const referenceFields: ReadonlySet<string> = new Set(['file_id', 'file_uri', 'fileUri'])

/** Fields that mark a text part as more than text. */
const nonTextFields: ReadonlySet<string> = new Set([
  ...byteFields,
  ...referenceFields,
  'content',
  'source',
  'file',
  'image',
  'audio',
  'video',
  'input_image',
  'input_audio',
  'input_file',
])

/** Fields of a part that hold parts. */
const nestedFields: ReadonlySet<string> = new Set(['content', 'output', 'outputs'])

/** Measures a text or one part. A list of parts becomes pending. */
export function addParts(size: PromptSize, value: unknown): void {
  if (Array.isArray(value)) size.pendingParts.push(value)
  else if (typeof value !== 'object' || value === null || isTextual(value as Body)) size.textTokens += bytesOf(value)
  else new PartMeasurement(size, value as Body).addToSize()
}

/** Whether an item of a conversation is a part without a message around it. */
export function isMediaPart({ type, role }: Body): boolean {
  return role === undefined && mediaParts.has(type)
}

function isTextual(part: Body): boolean {
  if (!textParts.has(part.type)) return false
  for (const name in part)
    if (nonTextFields.has(name) && !(name === 'data' && part.type === 'redacted_thinking')) return false
  return true
}

/** Measures one part that is not only text. */
class PartMeasurement {
  readonly #size: PromptSize
  readonly #part: Body
  #hasKnownContent: boolean

  constructor(size: PromptSize, part: Body) {
    this.#size = size
    this.#part = part
    this.#hasKnownContent = containerParts.has(part.type)
  }

  /** Adds the text of the part, and each medium in it. A part of unknown content counts as one medium. */
  addToSize(): void {
    const { type } = this.#part
    // In a variable, because nested parts are added to `textTokens` at the same time.
    const textBytes = jsonBytes(this.#part, (value, name, parent) => this.#countField(value, name, parent))
    this.#size.textTokens += textBytes
    const isMedia = mediaParts.has(type)
    if (!this.#hasKnownContent || !(isMedia || containerParts.has(type)))
      this.#size.media.push({ kind: isMedia ? toMediumKind(String(type)) : 'other' })
  }

  /** Counts a medium or nested parts. @returns an empty text in place of these; the value itself if it is text. */
  #countField(value: unknown, name: string, parent: Body): unknown {
    if (nestedFields.has(name) && typeof value === 'object' && value !== null) {
      // A document can consist of parts.
      if (parent !== this.#part && parent.type === 'content') this.#hasKnownContent = true
      addParts(this.#size, value)
      return ''
    }
    if (referenceFields.has(name) && value != null) this.#addMedium({ kind: toMediumKind(String(this.#part.type)) })
    return typeof value === 'string' && byteFields.has(name) ? this.#countBytes(value, name, parent) : value
  }

  #countBytes(value: string, name: string, parent: Body): string {
    this.#hasKnownContent = true
    if (isPlainText(parent, this.#part, name)) return value
    const format = { part: this.#part.type, mediaType: parent.media_type, format: parent.format }
    const medium = readMedium(format, value)
    if (!medium) return value
    this.#addMedium(medium)
    return ''
  }

  #addMedium(medium: Medium): void {
    this.#hasKnownContent = true
    this.#size.media.push(medium)
  }
}

/** Whether `data` is the plain text of a document, and not bytes. */
function isPlainText(parent: Body, part: Body, name: string): boolean {
  return parent !== part && parent.type === 'text' && name === 'data'
}

/** Whether a field of a message or an item is a primitive value and not a file reference. */
export function isPlainField(name: string, value: unknown): boolean {
  return typeof value !== 'object' && !referenceFields.has(name)
}

/** Adds a value of unknown form: as text, with its references as media. */
export function addUnknown(size: PromptSize, name: string, value: unknown): void {
  const text = JSON.stringify({ [name]: value }, (field, nested: unknown) => {
    if (referenceFields.has(field) && nested != null) size.media.push({ kind: 'other' })
    if (typeof nested !== 'string' || !byteFields.has(field) || !/^(?:data:|[a-z]+:\/\/)/i.test(nested)) return nested
    const medium = readMedium({ part: field }, nested)
    if (!medium) return nested
    size.media.push(medium)
    return ''
  })
  size.textTokens += Buffer.byteLength(text)
}

export function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
