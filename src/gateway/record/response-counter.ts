import type { FinishReason } from '#chat/chunk.ts'
import type { CompletionEvent, Extras, TokenCounts } from '#chat/events.ts'
import type { PaceNote } from '#spend/ledger/generation.ts'
import { minIntervalMs, TokenPace } from './token-pace.ts'

/** The parts of a response that cost something. */
export type BillableCounts = {
  /** The token counts that the upstream reported. */
  reportedTokens: TokenCounts | undefined
  /** Whether the count covers the whole response. Some upstreams also send counts of the response so far. */
  isFinal: boolean
  /** Bytes of text, reasoning and tool arguments. */
  bytes: number
  reasoningBytes: number
  toolCalls: number
  /** Units that are billed in addition to tokens: reported by the upstream, or else counted while relayed. */
  extras: Extras | undefined
}

/** The counts of a response, collected while it is relayed. */
export type ResponseTally = BillableCounts & {
  finish: FinishReason | undefined
  nativeFinish: string | undefined
  /** How the upstream's last counts contradict each other. */
  usageMismatch: string | undefined
  upstreamId: string | undefined
  upstreamModel: string | undefined
  /** When the first content of the response arrived, by the monotonic clock. */
  firstTokenAt: number | undefined
  /** When the latest content arrived. */
  lastTokenAt: number | undefined
}

const maxNameLength = 256

// Upstreams do not always follow their protocol, so types are checked and stored names are short.
const byteLength = (text: unknown) => (typeof text === 'string' ? Buffer.byteLength(text) : 0)
const readName = (text: unknown) => (typeof text === 'string' && text ? text.slice(0, maxNameLength) : undefined)

/** Adds the relayed units to the reported extras. The reported count of a unit overrides the relayed one. */
function mergeUnits(
  relayedUnits: ReadonlyMap<string, number> | undefined,
  reported: Extras | undefined,
): Extras | undefined {
  return relayedUnits ? { ...reported, pieces: { ...Object.fromEntries(relayedUnits), ...reported?.pieces } } : reported
}

/** Limits the number of different units that are counted. No provider has more. */
const maxUnits = 100

/** Whether counts can be those of a response. Some servers report zeros, which are not billed as they are. */
export function isPlausible({ prompt, completion }: TokenCounts, bytes: number): boolean {
  return prompt > 0 && (completion > 0 || bytes === 0)
}

/**
 * The characters of speech in base64 that count as one byte of text. Gemini bills 25 tokens for a second of speech, which has
 * 64,000 characters (24,000 samples of 16 bits). A token of text has about four bytes.
 */
const speechCharactersPerByte = 640

/** Counts what a response contains while it is relayed. */
export class ResponseCounter {
  readonly #elapsed: () => number
  readonly #tally: ResponseTally = {
    reportedTokens: undefined,
    isFinal: false,
    bytes: 0,
    reasoningBytes: 0,
    toolCalls: 0,
    extras: undefined,
    finish: undefined,
    nativeFinish: undefined,
    usageMismatch: undefined,
    upstreamId: undefined,
    upstreamModel: undefined,
    firstTokenAt: undefined,
    lastTokenAt: undefined,
  }
  #reportedExtras: Extras | undefined
  /** Whether the last count includes all of the response so far. */
  #isCountedSoFar = false
  #relayedUnits: Map<string, number> | undefined
  /** Undefined for short responses. */
  #pace: TokenPace | undefined

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Counts a piece of text. A usage report before it was not final. */
  countText(type: CompletionEvent['type'], bytes: number): void {
    const tally = this.#tally
    const at = this.#elapsed()
    tally.firstTokenAt ??= at
    tally.lastTokenAt = at
    const sinceFirstMs = at - tally.firstTokenAt
    if (sinceFirstMs >= minIntervalMs) {
      this.#pace ??= new TokenPace(tally.bytes)
      this.#pace.add(sinceFirstMs, bytes)
    }
    tally.isFinal = false
    this.#isCountedSoFar = false
    tally.bytes += bytes
    // Encrypted reasoning has no text. It counts as one byte, because 0 means a response without reasoning.
    if (type === 'reasoning') tally.reasoningBytes += Math.max(1, bytes)
  }

  count(events: CompletionEvent[]): void {
    for (const event of events) this.#count(event)
  }

  result(): Readonly<ResponseTally> {
    this.#tally.extras = mergeUnits(this.#relayedUnits, this.#reportedExtras)
    return this.#tally
  }

  /** The distribution of the tokens over time; undefined for a response that arrived at once. */
  paceOf(tokens: number): PaceNote | undefined {
    return this.#pace?.toNote(tokens)
  }

  /** The tokens per second after the start of the response; undefined for a short one. */
  speedOf(tokens: number): number | undefined {
    return this.#pace?.tokensPerSecond(tokens)
  }

  #countUnit(unit: string): void {
    this.#relayedUnits ??= new Map()
    const before = this.#relayedUnits.get(unit)
    if (before !== undefined || this.#relayedUnits.size < maxUnits) this.#relayedUnits.set(unit, (before ?? 0) + 1)
  }

  #count(event: CompletionEvent): void {
    const tally = this.#tally
    switch (event.type) {
      case 'started':
        tally.upstreamId ??= readName(event.id)
        tally.upstreamModel ??= readName(event.model)
        break
      case 'text':
      case 'reasoning':
      case 'tool_arguments':
        this.countText(event.type, byteLength(event.text))
        break
      case 'refusal':
        if (!event.isFree) this.countText(event.type, byteLength(event.text))
        break
      case 'tool_call':
        tally.toolCalls++
        this.countText(event.type, byteLength(event.name))
        break
      case 'usage':
        tally.reportedTokens = event.tokens
        tally.isFinal = tally.finish !== undefined && isPlausible(event.tokens, tally.bytes)
        this.#reportedExtras = event.extras ?? this.#reportedExtras
        tally.usageMismatch = event.mismatch
        this.#isCountedSoFar = tally.bytes > 0 && isPlausible(event.tokens, tally.bytes)
        break
      // The items of embeddings arrive together, so that the first content is also the last.
      case 'items':
        tally.firstTokenAt ??= this.#elapsed()
        tally.lastTokenAt = tally.firstTokenAt
        break
      case 'billed_piece':
        this.#countUnit(event.unit)
        break
      case 'finish':
        // The last count already includes all content.
        if (this.#isCountedSoFar) tally.isFinal = true
        tally.finish = event.reason
        tally.nativeFinish = readName(event.native)
        break
      case 'error':
        tally.finish = 'error'
        break
      case 'audio':
        this.countText(event.type, Math.ceil(event.data.length / speechCharactersPerByte))
        break
      // Images are counted as pieces, and citations are free.
      case 'citation':
      case 'image':
        break
      default:
        event satisfies never
    }
  }
}
