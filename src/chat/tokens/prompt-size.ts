import type { Steps } from '#platform/async/long-work.ts'
import { writeInSteps } from '#platform/json/json-text/json-steps.ts'
import { bytesPerToken, estimateTokens } from '#platform/text/token-estimate.ts'
import type { ChatRequest } from '../chat-request.ts'
import { tokenIdsOf } from './token-ids.ts'

/** The number of characters of all text in a request, including tools. */
export function charactersOf(chat: ChatRequest): number {
  let characters = 0
  for (const message of chat.messages) {
    if (typeof message.content === 'string') characters += message.content.length
    else for (const part of message.content ?? []) characters += part.text?.length ?? 0
  }
  return characters + toolSize(chat).characters
}

type TextSize = { characters: number; bytes: number }

/** Caches the size of the tools as JSON, which several estimates of a request need. */
const toolSizes = new WeakMap<object, TextSize>()

function toolSize({ tools }: ChatRequest): TextSize {
  if (!tools) return { characters: 0, bytes: 0 }
  return toolSizes.getOrInsertComputed(tools, () => {
    const text = JSON.stringify(tools)
    return { characters: text.length, bytes: Buffer.byteLength(text) }
  })
}

/** Measures the tools of a long request in steps, before an estimate needs their size. */
export function* measureTools({ tools }: ChatRequest): Steps<void> {
  if (!tools) return
  const size: TextSize = { characters: 0, bytes: 0 }
  yield* writeInSteps(tools, (piece) => {
    size.characters += piece.length
    size.bytes += Buffer.byteLength(piece)
  })
  toolSizes.set(tools, size)
}

/**
 * A lower bound of the tokens of a prompt. Tokenizers do not join words, so a text has at least as many tokens as words.
 * Words are counted only if they can decide whether the prompt exceeds a context of this length.
 *
 * Characters are divided by bytes per token: a text has at most as many characters as bytes, so the result stays a lower bound.
 */
export function minTokens(chat: ChatRequest, contextLength: number): number {
  const characters = charactersOf(chat)
  const byLength = Math.floor(characters / bytesPerToken.max)
  const surelyExceeds = byLength > contextLength
  // A word has a space after it, so there are at most half as many words as characters.
  const canExceed = characters / 2 > contextLength
  if (surelyExceeds || !canExceed) return byLength
  return Math.max(byLength, wordTokens(chat))
}

/** A lower bound of the tokens of a prompt: one for each word, and more for long words. */
export function wordTokens(chat: ChatRequest): number {
  let tokens = Math.floor(toolSize(chat).characters / bytesPerToken.max)
  for (const { content } of chat.messages) {
    if (typeof content === 'string') tokens += tokensOfWords(content)
    else for (const { text } of content ?? []) if (text) tokens += tokensOfWords(text)
  }
  return tokens
}

function tokensOfWords(text: string): number {
  let tokens = 0
  let wordStart = -1
  for (let at = 0; at <= text.length; at++) {
    // A space and the control characters, such as line breaks, end a word.
    const isInWord = at < text.length && text.charCodeAt(at) > 0x20
    if (isInWord) {
      if (wordStart < 0) wordStart = at
    } else if (wordStart >= 0) {
      tokens += Math.max(1, Math.floor((at - wordStart) / bytesPerToken.max))
      wordStart = -1
    }
  }
  return tokens
}

/** The assumed tokens of a medium: those of an average image. */
const tokensOfMedium = 1000

/** Estimates the prompt's tokens, for requests that no provider counted. */
export function estimatePrompt(chat: ChatRequest): number {
  const { bytes, media } = measureTextAndMedia(chat)
  return estimateTokens(bytes) + media * tokensOfMedium
}

/** The bytes of all text, and the number of media. */
function measureTextAndMedia(chat: ChatRequest): { bytes: number; media: number } {
  let { bytes } = toolSize(chat)
  let media = 0
  for (const { content, role: _role, ...otherFields } of chat.messages) {
    // Tool calls, names of results, reasoning of earlier turns.
    for (const name in otherFields) bytes += bytesOf(otherFields[name as keyof typeof otherFields])
    if (!Array.isArray(content)) bytes += bytesOf(content)
    else
      for (const part of content) {
        const tokenIds = part.text === undefined ? tokenIdsOf(part) : undefined
        if (tokenIds) bytes += tokenIds.length * bytesPerToken.average
        else if (part.text === undefined) media++
        else bytes += bytesOf(part.text)
      }
  }
  return { bytes, media }
}

/** The tokens with which a provider marks the start, the role and the end of a message. */
const messageMarkerTokens = 8
/** The tokens of the instructions that a provider adds to a request with tools. Anthropic documents about 350. */
const toolInstructionTokens = 350
/** As Anthropic counts it. Few providers count more. */
const tokensOfLargestImage = 1600

/** A high estimate of the prompt's tokens, for clients that count tokens before they send a request. It is rarely exceeded. */
export function upperPromptEstimate(chat: ChatRequest): number {
  const { bytes, media } = measureTextAndMedia(chat)
  const added = chat.messages.length * messageMarkerTokens + (chat.tools?.length ? toolInstructionTokens : 0)
  return estimateTokens(bytes, bytesPerToken.min) + added + media * tokensOfLargestImage
}

function bytesOf(value: unknown): number {
  if (value == null) return 0
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}
