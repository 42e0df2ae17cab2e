import type { FinishReason } from '#chat/chunk.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { parseWithExactArguments } from '#chat/fields/arguments-fields.ts'
import type { SseEvent } from '#platform/net/sse.ts'
import { BytePositions } from '#platform/text/byte-positions.ts'
import type { UpstreamEvent } from '../../protocol/tool-calls/fragment.ts'
import { CompletionIncrements } from '../completion-increments.ts'
import { measureContent } from '../content-size.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../errors/error-event.ts'
import { readErrorMessage } from '../errors/error-message.ts'
import { readErrorMetadata } from '../errors/error-metadata.ts'
import { readErrorStatus } from '../errors/error-status.ts'
import { usageEvents } from '../token-counts.ts'
import { mergeUsage, type UsageObject } from '../usage-formats.ts'
import { type FunctionCall, GeminiCalls, reasoningFormat } from './gemini-calls.ts'
import { GroundingCitations } from './gemini-citations.ts'
import { normalizeGeminiResponse } from './gemini-normalization.ts'
import { type CitationMetadata, type Grounding, SearchCounter } from './gemini-searches.ts'
import { readServiceTier } from './gemini-service-tier.ts'
import { candidateCounts, type GeminiUsage, readCounts } from './gemini-usage.ts'

type Part = {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  functionCall?: FunctionCall
  inlineData?: { mimeType?: string; data?: string }
  fileData?: { mimeType?: string; fileUri?: string }
}
/** A whole response, or one event of a stream. Names and meaning are those of Google's API. */
type GenerateContentResponse = {
  candidates?: {
    content?: { parts?: Part[] }
    finishReason?: string
    finishMessage?: string
    groundingMetadata?: Grounding
    citationMetadata?: CitationMetadata
  }[]
  promptFeedback?: { blockReason?: string; blockReasonMessage?: string }
  usageMetadata?: GeminiUsage
  modelVersion?: string
  responseId?: string
  error?: { code?: number; message?: string; status?: string }
}

/** Finish reasons of failed responses. Another attempt can succeed. */
const failureReasons: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
])

/** Finish reasons of usable responses. All others, such as `SAFETY`, mean that Google withholds the content. */
const finishReasons: Record<string, Exclude<FinishReason, 'error'>> = { STOP: 'stop', MAX_TOKENS: 'length' }

/** Reads one stream. The parts of each event are new, and its usage is cumulative. */
export function createGeminiReader(responseId?: string): (event: SseEvent) => UpstreamEvent[] {
  const reader = new GeminiResponseReader(responseId)
  return ({ data }) => listResponses(parseWithExactArguments(data)).flatMap((response) => reader.read(response))
}

/** Reads a whole response. */
export function readGeminiBody(body: unknown, responseId?: string): UpstreamEvent[] {
  const responses = listResponses(body)
  const reader = new GeminiResponseReader(responseId)
  const events = responses.flatMap((response) => reader.read(response))
  const isEnded = events.some(({ type }) => type === 'finish' || type === 'error')
  // A whole response is complete even without a finish reason.
  if (!isEnded && !Array.isArray(body) && measureContent(events) > 0)
    return [...events, { type: 'finish', reason: 'stop', native: undefined }]
  if (!isEnded && !responses.some(({ error }) => error))
    return [errorWithoutResponse(body, 'the response has no candidates')]
  return events
}

/** Servers that ignore `alt=sse` send a stream as a list of its events. Some send such lists in events. */
function listResponses(body: unknown): GenerateContentResponse[] {
  return (Array.isArray(body) ? body : [body]).map(normalizeGeminiResponse) as GenerateContentResponse[]
}

/** Reads the events of one response. */
class GeminiResponseReader {
  #hasStarted = false
  #hasEnded = false
  #usage: UsageObject = {}
  readonly #increments = new CompletionIncrements()
  readonly #calls = new GeminiCalls()
  #id = ''
  readonly #text = new BytePositions()
  readonly #responseId: string
  #searches = new SearchCounter()
  #citations = new GroundingCitations()

  constructor(responseId = '') {
    this.#responseId = responseId
  }

  read(response: GenerateContentResponse): UpstreamEvent[] {
    if (response.error) return [errorEvent(response.error)]
    const [candidate] = response.candidates ?? []
    const events: UpstreamEvent[] = this.#start(response)
    for (const part of candidate?.content?.parts ?? []) events.push(...this.#readPart(part))
    if (candidate?.groundingMetadata) {
      events.push(...this.#searches.read(candidate.groundingMetadata, response.modelVersion))
      events.splice(endOfText(events), 0, ...this.#citations.read(candidate.groundingMetadata, this.#text))
    }
    if (candidate?.citationMetadata)
      events.splice(
        endOfText(events),
        0,
        ...this.#citations.readCitationMetadata(candidate.citationMetadata, this.#text),
      )
    const blockReason = candidate ? undefined : response.promptFeedback?.blockReason
    const reason = candidate?.finishReason ?? blockReason
    if (reason && failureReasons.has(reason)) {
      this.#hasEnded = true
      const usage = this.#addUsage(response.usageMetadata, measureContent(events))
      return [...events, failureEvent(reason, candidate?.finishMessage), ...usage]
    }
    if (reason) {
      if (finishReasons[reason] === 'stop') this.#calls.requireNoPartialCall()
      this.#hasEnded = true
      events.push(...this.#calls.takePartialCall(this.#callIdSeed))
      events.push(this.#toFinish(reason, blockReason === undefined ? finishReasons[reason] : undefined))
    }
    return [...events, ...this.#addUsage(response.usageMetadata, measureContent(events))]
  }

  /**
   * Adds the usage of an event. Returns none while the counts of the response are unknown, because the first events can count
   * only the prompt. The last usage can follow the end.
   */
  #addUsage(usage: GeminiUsage | undefined, contentLength: number): CompletionEvent[] {
    if (!usage) return []
    this.#usage = mergeUsage(this.#usage, usage)
    this.#increments.add(candidateCounts(usage), contentLength)
    return this.#hasEnded || usage.candidatesTokenCount !== undefined ? this.#usageEvents() : []
  }

  /**
   * The latest counts. If the server reports the tokens of each event instead of their sum, their sum replaces the latest count,
   * and the total, which does not match it, is omitted.
   */
  #usageEvents(): CompletionEvent[] {
    const usage = this.#usage as GeminiUsage
    const { completion, mismatch } = this.#increments.correct(candidateCounts(usage))
    const counts = mismatch
      ? { ...readCounts({ ...usage, candidatesTokenCount: completion, totalTokenCount: undefined }), mismatch }
      : readCounts(usage)
    return usageEvents(counts, { serviceTier: readServiceTier(usage) })
  }

  #start({ responseId, modelVersion }: GenerateContentResponse): CompletionEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    this.#id = responseId ?? ''
    return [{ type: 'started', id: this.#id, model: modelVersion ?? '' }]
  }

  #readPart({ text, thought, thoughtSignature: encrypted, functionCall, inlineData, fileData }: Part): UpstreamEvent[] {
    if (inlineData) return readInlineData(inlineData, encrypted)
    if (fileData) return readFileData(fileData)
    const signed = encrypted === undefined ? {} : { encrypted }
    if (functionCall) return this.#calls.read(functionCall, signed, this.#callIdSeed)
    if (thought)
      return text || encrypted ? [{ type: 'reasoning', text: text ?? '', format: reasoningFormat, ...signed }] : []
    if (typeof text === 'string') this.#text.add(text)
    const events: CompletionEvent[] = text ? [{ type: 'text', text }] : []
    return encrypted === undefined
      ? events
      : [...events, { type: 'reasoning', text: '', format: reasoningFormat, encrypted }]
  }

  /** Gemini sends many calls without an id. They get one that is derived from the id of the response. */
  get #callIdSeed(): string {
    return this.#id || this.#responseId
  }

  /** @param reason undefined if Google withholds the content. */
  #toFinish(native: string, reason: (typeof finishReasons)[string] | undefined): CompletionEvent {
    const isCall = reason === 'stop' && this.#calls.count > 0
    return { type: 'finish', reason: isCall ? 'tool_calls' : (reason ?? 'content_filter'), native }
  }
}

/** The position for citations in the events: after the text, before signatures, which end a block of reasoning. */
function endOfText(events: UpstreamEvent[]): number {
  const isSignature = (event: UpstreamEvent) => event.type === 'reasoning' && event.text === ''
  return events.findLastIndex((event) => !isSignature(event)) + 1
}

function failureEvent(reason: string, message: string | undefined): CompletionEvent {
  return { type: 'error', message: message ?? `the model's response was unusable: ${reason}`, status: 502 }
}

function errorEvent(error: NonNullable<GenerateContentResponse['error']>): CompletionEvent {
  return {
    type: 'error',
    message: readErrorMessage(error) ?? defaultErrorMessage,
    status: readErrorStatus(error),
    ...readErrorMetadata(error),
  }
}

/** An image or speech. Its signature becomes a reasoning event, like the signature of a text. */
function readInlineData(
  { mimeType, data }: NonNullable<Part['inlineData']>,
  encrypted: string | undefined,
): CompletionEvent[] {
  const events: CompletionEvent[] = []
  if (String(mimeType).startsWith('image/')) {
    events.push({ type: 'billed_piece', unit: 'image' })
    if (data) events.push({ type: 'image', url: `data:${mimeType};base64,${data}` })
  }
  if (String(mimeType).startsWith('audio/') && data) events.push({ type: 'audio', mediaType: mimeType!, data })
  if (encrypted !== undefined) events.push({ type: 'reasoning', text: '', format: reasoningFormat, encrypted })
  return events
}

function readFileData({ mimeType, fileUri }: NonNullable<Part['fileData']>): CompletionEvent[] {
  if (!String(mimeType).startsWith('image/') || !fileUri) return []
  return [
    { type: 'billed_piece', unit: 'image' },
    { type: 'image', url: fileUri },
  ]
}
