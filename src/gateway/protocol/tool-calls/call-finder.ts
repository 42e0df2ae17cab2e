import type { PartialCall } from './call.ts'
import { startsObject } from './call-arguments.ts'
import type { ToolCallPiece } from './piece.ts'

/** Finds the call that a piece belongs to. Some servers send its number or its id, and others only pieces in order. */
export class CallFinder {
  /** The names of the tools that the upstream got. Undefined if they are not known. */
  readonly #toolNames: ReadonlySet<string> | undefined
  readonly #byKey = new Map<number, PartialCall>()
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

  /** The next pieces are in another event of the upstream. */
  startEvent(): void {
    this.#eventNumber++
  }

  /** The call of a piece: by its id, else by its number, else the latest one. Undefined if the piece starts another call. */
  find(piece: ToolCallPiece): PartialCall | undefined {
    const { key, id, name } = piece
    const callByKey = key === undefined ? undefined : this.#byKey.get(key)
    const callById = id ? this.#byId.get(id) : undefined
    // The id decides, unless the piece has the number of another call.
    if (callById && (key === undefined || callById.key === undefined || callById.key === key || callById === callByKey))
      return callById
    // Some servers give each piece of a call another number or id.
    if (callById && !name && callById.name !== undefined && !callById.args.isComplete) return callById
    // The rest of arguments belongs to the call that lacks it, although its id is another one.
    const latest = callByKey ?? this.#latestCall
    if (latest?.args.isCut && !callById && continuesArguments(piece)) return latest
    // Without a number, of the piece or of the latest call, pieces follow each other.
    const candidate =
      callByKey ?? (key === undefined || this.#latestCall?.key === undefined ? this.#latestCall : undefined)
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
  record(call: PartialCall, { key = call.key }: ToolCallPiece): void {
    call.latestEvent = this.#eventNumber
    this.#latestCall = call
    if (call.id !== undefined) this.#byId.set(call.id, call)
    if (key !== undefined) this.#byKey.set(key, call)
  }

  /** Whether a piece under the number of a call, or under none, is the first of another call. */
  #startsNewCall(call: PartialCall, { key, id, name, text = '' }: ToolCallPiece): boolean {
    if (call.args.isComplete && startsObject(text))
      return !!name || !(call.args.isEmptyObject || call.args.equals(text))
    if (!name || call.name === undefined) return false
    if (!id && call.args.isEmpty && this.#continuesName(call, key, text)) return false
    return name !== call.name || (key === undefined && call.latestEvent === this.#eventNumber)
  }

  /**
   * Whether a name without an id continues that of a call without arguments. A second call would have an id, as the first
   * one does, or arguments.
   */
  #continuesName({ name, id, latestEvent }: PartialCall, key: number | undefined, text: string): boolean {
    if (key === undefined) return text === '' && latestEvent !== this.#eventNumber && this.#isUndeclared(name!)
    return id !== undefined || text === ''
  }

  #isUndeclared(name: string): boolean {
    return this.#toolNames?.has(name) === false
  }
}

/** Whether a piece is a later part of arguments, which start with an object. */
function continuesArguments({ name, text = '' }: ToolCallPiece): boolean {
  return !name && text.trim() !== '' && !startsObject(text)
}
