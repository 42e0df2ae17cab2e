import type { FinishReason } from '#chat/chunk.ts'
import type { AnswerEvent, Extras, TokenCounts } from '#chat/events.ts'
import type { PaceNote } from '#spend/ledger/generation.ts'
import { Pace, shortestMs } from './token-pace.ts'

/** The parts of an answer that cost something. */
export type Counted = {
  /** The upstream's own count, as far as it told one. */
  told: TokenCounts | undefined
  /**
   * Whether the count came when the answer had ended. Some upstreams send a count with each piece, for the answer so
   * far.
   */
  isFinal: boolean
  /** Bytes of all that went by as text, thoughts and the arguments of calls included. */
  bytes: number
  thoughtBytes: number
  toolCalls: number
  /**
   * Units that are billed besides tokens: the upstream's own count if it sent one, else the pieces that were relayed.
   */
  extras: Extras | undefined
}

/** The counts of an answer, collected while it is relayed. */
export type AnswerTally = Counted & {
  finish: FinishReason | undefined
  nativeFinish: string | undefined
  /** How the upstream's last counts contradict each other. */
  usageMismatch: string | undefined
  upstreamId: string | undefined
  upstreamModel: string | undefined
  /** When the first piece of the answer came, in milliseconds since the epoch. */
  firstTokenAt: number | undefined
}

/**
 * Upstreams answer what they like, whatever the protocol says; and a name that is kept and looked up is a short one.
 */
const lengthOf = (text: unknown) => (typeof text === 'string' ? Buffer.byteLength(text) : 0)
const nameIn = (text: unknown) => (typeof text === 'string' && text ? text.slice(0, longestName) : undefined)
const longestName = 256

function extrasOf(passed: ReadonlyMap<string, number> | undefined, told: Extras | undefined): Extras | undefined {
  return passed ? { ...told, pieces: { ...Object.fromEntries(passed), ...told?.pieces } } : told
}

/** More kinds of pieces than any provider has. */
const mostUnits = 100

export class AnswerCounter {
  readonly #now: () => number
  readonly #tally: AnswerTally = {
    told: undefined,
    isFinal: false,
    bytes: 0,
    thoughtBytes: 0,
    toolCalls: 0,
    extras: undefined,
    finish: undefined,
    nativeFinish: undefined,
    usageMismatch: undefined,
    upstreamId: undefined,
    upstreamModel: undefined,
    firstTokenAt: undefined,
  }
  #toldExtras: Extras | undefined
  /** Whether the last count includes all of the answer so far. */
  #isCounted = false
  #passed: Map<string, number> | undefined
  /** Only of an answer that takes its time: most requests need not carry one. */
  #pace: Pace | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a piece of text. A usage report before it was not final. */
  countText(type: AnswerEvent['type'], bytes: number): void {
    const tally = this.#tally
    const at = this.#now()
    tally.firstTokenAt ??= at
    const since = at - tally.firstTokenAt
    if (since >= shortestMs) {
      this.#pace ??= new Pace(tally.bytes)
      this.#pace.add(since, bytes)
    }
    tally.isFinal = false
    this.#isCounted = false
    tally.bytes += bytes
    if (type === 'reasoning') tally.thoughtBytes += Math.max(1, bytes)
  }

  count(events: AnswerEvent[]): void {
    for (const event of events) this.#count(event)
  }

  result(): Readonly<AnswerTally> {
    this.#tally.extras = extrasOf(this.#passed, this.#toldExtras)
    return this.#tally
  }

  /** When how many of the tokens came; undefined where all came at once. */
  paceOf(tokens: number): PaceNote | undefined {
    return this.#pace?.note(tokens)
  }

  #pass(unit: string): void {
    this.#passed ??= new Map()
    const before = this.#passed.get(unit)
    if (before !== undefined || this.#passed.size < mostUnits) this.#passed.set(unit, (before ?? 0) + 1)
  }

  #count(event: AnswerEvent): void {
    const tally = this.#tally
    switch (event.type) {
      case 'started':
        tally.upstreamId ??= nameIn(event.id)
        tally.upstreamModel ??= nameIn(event.model)
        break
      case 'text':
      case 'refusal':
      case 'reasoning':
      case 'tool_arguments':
        this.countText(event.type, lengthOf(event.text))
        break
      case 'tool_call':
        tally.toolCalls++
        this.countText(event.type, lengthOf(event.name))
        break
      case 'usage':
        tally.told = event.tokens
        tally.isFinal = tally.finish !== undefined
        this.#toldExtras = event.extras ?? this.#toldExtras
        tally.usageMismatch = event.mismatch
        this.#isCounted = tally.bytes > 0 && event.tokens.completion > 0
        break
      case 'piece':
        this.#pass(event.unit)
        break
      case 'finish':
        // All that came was counted before.
        if (this.#isCounted) tally.isFinal = true
        tally.finish = event.reason
        tally.nativeFinish = nameIn(event.native)
        break
      case 'error':
        tally.finish = 'error'
        break
      // Images are counted as pieces; who is cited costs nothing.
      case 'citation':
      case 'image':
        break
      default:
        event satisfies never
    }
  }
}
