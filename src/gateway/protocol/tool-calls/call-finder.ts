import { startsObject } from './arguments-text.ts'
import type { PartialCall } from './partial-call.ts'
import type { ToolCallPiece } from './piece.ts'

/** Finds the call that a piece belongs to. Some servers send the index or the id of the call, others only pieces in order. */
export class CallFinder {
  /** The names of the tools that the upstream got. Undefined if they are not known. */
  readonly #toolNames: ReadonlySet<string> | undefined
  readonly #byIndex = new Map<number, PartialCall>()
  readonly #byId = new Map<string, PartialCall>()
  #latestCall: PartialCall | undefined
  /** Whether the latest piece is in the upstream event that is being read. Its pieces with the same name are several calls. */
  #isLatestInThisEvent = false

  constructor(toolNames: ReadonlySet<string> | undefined) {
    this.#toolNames = toolNames
  }

  /** The call of the latest piece. */
  get latestCall(): PartialCall | undefined {
    return this.#latestCall
  }

  /** Notes that the next pieces are in another event of the upstream. */
  startEvent(): void {
    this.#isLatestInThisEvent = false
  }

  /** The call of a piece: by its id, else by its index, else the latest one. Undefined if the piece starts another call. */
  find(piece: ToolCallPiece): PartialCall | undefined {
    const { upstreamIndex, id } = piece
    const callByIndex = upstreamIndex === undefined ? undefined : this.#byIndex.get(upstreamIndex)
    const callById = id ? this.#byId.get(id) : undefined
    if (callById && (callById === callByIndex || fitsCallOfId(piece, callById))) return callById
    // The end of unclosed arguments belongs to their call, although the piece has another id.
    const latest = callByIndex ?? this.#latestCall
    if (latest?.args.isUnclosed && !callById && continuesArguments(piece)) return latest
    const candidate = callByIndex ?? this.#findPreceding(piece)
    if (!candidate) return undefined
    const hasOtherId = id && candidate.id !== undefined && !callById
    return hasOtherId || this.#startsNewCall(candidate, piece) ? undefined : candidate
  }

  /** Whether another call has the id. */
  isIdOfOther(id: string | undefined, call: PartialCall): boolean {
    const callById = id ? this.#byId.get(id) : undefined
    return callById !== undefined && callById !== call
  }

  /** Records the call of a piece, after the piece was added to it. */
  record(call: PartialCall, { upstreamIndex = call.upstreamIndex }: ToolCallPiece): void {
    this.#latestCall = call
    this.#isLatestInThisEvent = true
    if (call.id !== undefined) this.#byId.set(call.id, call)
    if (upstreamIndex !== undefined) this.#byIndex.set(upstreamIndex, call)
  }

  /** The latest call, if the piece or that call has no index. Between calls with indexes, the order means nothing. */
  #findPreceding({ upstreamIndex }: ToolCallPiece): PartialCall | undefined {
    return upstreamIndex === undefined || this.#latestCall?.upstreamIndex === undefined ? this.#latestCall : undefined
  }

  /** Whether a piece is the first of another call. @param call the call of its index, or else the latest one. */
  #startsNewCall(call: PartialCall, { upstreamIndex, id, name, text = '' }: ToolCallPiece): boolean {
    if (call.args.isComplete && startsObject(text))
      return !!name || !(call.args.isEmptyObject || call.args.equals(text))
    if (!name || call.name === undefined) return false
    const canContinueName = !id && !call.args.hasText
    if (canContinueName && this.#continuesName(call.id, call.name, upstreamIndex, text)) return false
    return name !== call.name || (upstreamIndex === undefined && this.#isLatestInThisEvent)
  }

  /**
   * Whether a piece with a name but no id continues the name of a call without arguments. Another call would have an id, as
   * this one does, or arguments.
   */
  #continuesName(callId: string | undefined, name: string, upstreamIndex: number | undefined, text: string): boolean {
    if (upstreamIndex !== undefined) return callId !== undefined || text === ''
    const isDeclared = this.#toolNames?.has(name) ?? true
    return text === '' && !this.#isLatestInThisEvent && !isDeclared
  }
}

/**
 * Whether a piece with the id of a call belongs to it. It does unless it has the index of another call; and also then if it
 * continues the arguments, because some servers give each piece of a call another index.
 */
function fitsCallOfId({ upstreamIndex, name }: ToolCallPiece, call: PartialCall): boolean {
  if (upstreamIndex === undefined || call.upstreamIndex === undefined) return true
  if (upstreamIndex === call.upstreamIndex) return true
  return !name && call.name !== undefined && !call.args.isComplete
}

/** Whether a piece continues arguments: it has text that does not start an object. */
function continuesArguments({ name, text = '' }: ToolCallPiece): boolean {
  return !name && text.trim() !== '' && !startsObject(text)
}
