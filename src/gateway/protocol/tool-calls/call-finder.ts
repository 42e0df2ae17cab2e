import type { PartialCall } from './call.ts'
import { startsObject } from './call-arguments.ts'
import type { ToolCallPiece } from './piece.ts'

/** Finds the call that a piece belongs to. Some servers send the index or the id of the call, others only pieces in order. */
export class CallFinder {
  /** The names of the tools that the upstream got. Undefined if they are not known. */
  readonly #toolNames: ReadonlySet<string> | undefined
  readonly #byIndex = new Map<number, PartialCall>()
  readonly #byId = new Map<string, PartialCall>()
  #latestCall: PartialCall | undefined
  /** The number of the upstream event that is being read. Pieces of one event with the same name are several calls. */
  #eventNumber = 0

  constructor(toolNames: ReadonlySet<string> | undefined) {
    this.#toolNames = toolNames
  }

  /** The call of the latest piece. */
  get latestCall(): PartialCall | undefined {
    return this.#latestCall
  }

  /** Notes that the next pieces are in another event of the upstream. */
  startEvent(): void {
    this.#eventNumber++
  }

  /** The call of a piece: by its id, else by its index, else the latest one. Undefined if the piece starts another call. */
  find(piece: ToolCallPiece): PartialCall | undefined {
    const { upstreamIndex, id, name } = piece
    const callByIndex = upstreamIndex === undefined ? undefined : this.#byIndex.get(upstreamIndex)
    const callById = id ? this.#byId.get(id) : undefined
    // The id decides, unless the piece has the index of another call.
    const callIndex = callById?.upstreamIndex
    if (
      callById &&
      (upstreamIndex === undefined ||
        callIndex === undefined ||
        callIndex === upstreamIndex ||
        callById === callByIndex)
    )
      return callById
    // Some servers give each piece of a call another index or id.
    if (callById && !name && callById.name !== undefined && !callById.args.isComplete) return callById
    // The end of unclosed arguments belongs to their call, although the piece has another id.
    const latest = callByIndex ?? this.#latestCall
    if (latest?.args.isUnclosed && !callById && continuesArguments(piece)) return latest
    // If the piece or the latest call has no index, the piece follows the latest one.
    const followsLatest = upstreamIndex === undefined || this.#latestCall?.upstreamIndex === undefined
    const candidate = callByIndex ?? (followsLatest ? this.#latestCall : undefined)
    if (!candidate || (id && candidate.id !== undefined && !callById) || this.#startsNewCall(candidate, piece))
      return undefined
    return candidate
  }

  /** Whether another call has the id. */
  isIdOfOther(id: string | undefined, call: PartialCall): boolean {
    const callById = id ? this.#byId.get(id) : undefined
    return callById !== undefined && callById !== call
  }

  /** Records the call of a piece, after the piece was added to it. */
  record(call: PartialCall, { upstreamIndex = call.upstreamIndex }: ToolCallPiece): void {
    call.latestEventNumber = this.#eventNumber
    this.#latestCall = call
    if (call.id !== undefined) this.#byId.set(call.id, call)
    if (upstreamIndex !== undefined) this.#byIndex.set(upstreamIndex, call)
  }

  /** Whether a piece that has the index of `call`, or none, is the first of another call. */
  #startsNewCall(call: PartialCall, { upstreamIndex, id, name, text = '' }: ToolCallPiece): boolean {
    if (call.args.isComplete && startsObject(text))
      return !!name || !(call.args.isEmptyObject || call.args.equals(text))
    if (!name || call.name === undefined) return false
    if (!id && !call.args.hasText && this.#continuesName(call, upstreamIndex, text)) return false
    return name !== call.name || (upstreamIndex === undefined && call.latestEventNumber === this.#eventNumber)
  }

  /**
   * Whether a piece with a name but no id continues the name of a call without arguments. Another call would have an id, as
   * this one does, or arguments.
   */
  #continuesName(call: PartialCall, upstreamIndex: number | undefined, text: string): boolean {
    if (upstreamIndex !== undefined) return call.id !== undefined || text === ''
    return text === '' && call.latestEventNumber !== this.#eventNumber && this.#isUndeclared(call.name!)
  }

  #isUndeclared(name: string): boolean {
    return this.#toolNames?.has(name) === false
  }
}

/** Whether a piece continues arguments: it has text that does not start an object. */
function continuesArguments({ name, text = '' }: ToolCallPiece): boolean {
  return !name && text.trim() !== '' && !startsObject(text)
}
