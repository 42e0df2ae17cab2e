import { type Endpoint, parseEndpointId } from '#catalogue/index/model.ts'
import {
  isTranslated,
  pieceText,
  type ReasoningDetail,
  readOrigin,
  reasoningDetails,
  toThinkingBlocks,
} from '#chat/thoughts.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import type { ChatCompatibility } from './openai-chat-compatibility.ts'
import { isSignature, withSignatures } from './openai-chat-signatures.ts'

type Message = { role?: unknown; content?: unknown; reasoning?: unknown; reasoning_content?: unknown } & Body

const reasoningFields = ['reasoning', 'reasoning_content', 'reasoning_details', 'thinking_blocks'] as const

/** Moves earlier reasoning of the model to the field that its server expects. */
export function reasoningRepair(compatibility: ChatCompatibility, endpoint: Endpoint): Repair {
  const { reasoningField, requiresReasoningInHistory = false } = compatibility
  const { modelId } = parseEndpointId(endpoint.id)
  const isRequired = requiresReasoningInHistory && endpoint.supportedParameters.includes('reasoning')
  return (body) => {
    if (!Array.isArray(body.messages)) return body
    const original = body.messages as Message[]
    const mustFillReasoning = isRequired && original.some(hasCalls)
    const messages = mapItems(original, (message) => {
      const moved = withReasoning(message, modelId, reasoningField)
      return mustFillReasoning ? withPlaceholder(moved) : moved
    })
    if (messages === original) return body
    return {
      ...body,
      messages: messages.filter((message, at) => message === original[at] || !isEmptyResponse(message)),
    }
  }
}

/** Whether nothing remains of a response that had only reasoning of another model. Servers refuse it. */
function isEmptyResponse({ role, content, ...others }: Message): boolean {
  return (
    role === 'assistant' && (content == null || content === '') && Object.values(others).every((one) => one == null)
  )
}

const hasCalls = (message: Message) => Array.isArray(message?.tool_calls) && message.tool_calls.length > 0

/**
 * Adds a placeholder to responses without reasoning. DeepSeek and Moonshot refuse a conversation with tool calls if a response
 * has none, and they refuse an empty text.
 */
function withPlaceholder(message: Message): Message {
  if (message?.role !== 'assistant' || message.reasoning_content) return message
  return { ...message, reasoning_content: ' ' }
}

/** The message with the reasoning of this model in the field that its server expects, and without that of other models. */
function withReasoning(message: Message, model: string, field: ChatCompatibility['reasoningField']): Message {
  if (typeof message !== 'object' || message === null || !reasoningFields.some((name) => message[name] != null))
    return message
  const { reasoning: _text, reasoning_content: _content, reasoning_details: _details, ...others } = message
  const { thinking_blocks: _blocks, ...rest } = others
  const earlier = new EarlierReasoning(message, model)
  switch (field) {
    case 'none':
      return rest
    case undefined:
      return withReasoningAsSent(message, rest, earlier)
    case 'reasoning_details':
      return withDetails(rest, earlier.chatDetails.length > 0 ? earlier.chatDetails : toDetails(earlier.text))
    default:
      return withReasoningTexts(rest, earlier.text ? new Map([[field, earlier.text]]) : new Map())
  }
}

/** The message with its reasoning in the fields in which the server sent it. @param rest the message without reasoning. */
function withReasoningAsSent(message: Message, rest: Message, earlier: EarlierReasoning): Message {
  const { thinkingBlocks, chatDetails } = earlier
  if (thinkingBlocks.length > 0) return { ...rest, thinking_blocks: thinkingBlocks }
  if (chatDetails.some(isSignature)) return withSignatures(rest, chatDetails)
  if (earlier.isUntranslated) return earlier.isUnchanged ? message : withDetails(message, chatDetails)
  return withReasoningTexts(withDetails(rest, chatDetails), earlier.reasoningTexts)
}

/** The reasoning in a message of the client that this model is allowed to get. */
class EarlierReasoning {
  /** Details that a chat server created. */
  readonly chatDetails: ReasoningDetail[]
  /** The unsigned reasoning of this model, by the field in which it was sent. */
  readonly reasoningTexts = new Map<string, string>()
  readonly #hasDetails: boolean
  readonly #message: Message

  constructor(message: Message, model: string) {
    const details = reasoningDetails(message)
    this.#message = message
    this.#hasDetails = details.length > 0
    this.chatDetails = details.filter((detail) => !isTranslated(detail) && !readOrigin(detail))
    for (const detail of details) {
      const origin = readOrigin(detail)
      if (origin?.by !== model) continue
      this.reasoningTexts.set(origin.field, (this.reasoningTexts.get(origin.field) ?? '') + pieceText(detail))
    }
  }

  /** The reasoning that the server sent as blocks of Anthropic (LiteLLM). */
  get thinkingBlocks(): object[] {
    return toThinkingBlocks(this.chatDetails)
  }

  /** Whether this service translated nothing in the message. */
  get isUntranslated(): boolean {
    return !this.#hasDetails || (this.chatDetails.length > 0 && this.reasoningTexts.size === 0)
  }

  /** Whether the server gets the details of the message unchanged. */
  get isUnchanged(): boolean {
    const { reasoning_details: original } = this.#message
    return (
      original === undefined ||
      (Array.isArray(original) && original.length > 0 && original.length === this.chatDetails.length)
    )
  }

  /** The text of the reasoning; empty if another model wrote it. */
  get text(): string {
    if (this.reasoningTexts.size > 0) return [...this.reasoningTexts.values()].join('')
    if (!this.isUntranslated) return ''
    const { reasoning_content, reasoning } = this.#message
    const text = [reasoning_content, reasoning].find((candidate) => typeof candidate === 'string' && candidate !== '')
    return typeof text === 'string' ? text : this.chatDetails.map(pieceText).join('')
  }
}

function withDetails(message: Message, details: ReasoningDetail[]): Message {
  const { reasoning_details: _details, ...rest } = message
  return details.length > 0 ? { ...rest, reasoning_details: details } : rest
}

const toDetails = (text: string): ReasoningDetail[] =>
  text ? [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }] : []

function withReasoningTexts(message: Message, texts: ReadonlyMap<string, string>): Message {
  const { thinking, tagged, ...fields } = Object.fromEntries(texts)
  const withFields = { ...message, ...fields }
  if (tagged !== undefined) return { ...withFields, content: withTags(tagged, message.content) }
  return thinking === undefined ? withFields : { ...withFields, content: withThinkingPart(thinking, message.content) }
}

/** The content with the reasoning at its start, as the model wrote it. */
function withTags(reasoning: string, content: unknown): unknown {
  const text = `<think>\n${reasoning}\n</think>\n\n`
  return Array.isArray(content) ? [{ type: 'text', text }, ...content] : text + (content ?? '')
}

/** The content as a list of parts that starts with the reasoning. */
function withThinkingPart(thinking: string, content: unknown): object[] {
  const thinkingPart = { type: 'thinking', thinking: [{ type: 'text', text: thinking }] }
  if (Array.isArray(content)) return [thinkingPart, ...content]
  return content ? [thinkingPart, { type: 'text', text: content }] : [thinkingPart]
}
