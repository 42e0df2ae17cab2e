import { startsObject } from './arguments-text.ts'
import type { ToolCallFragment } from './fragment.ts'
import type { PartialCall } from './partial-call.ts'

/** Finds the call that a fragment belongs to. Some servers send the index or the id of the call, others only fragments in order. */
export class CallFinder {
  /** The names of the tools that the upstream got. Undefined if they are not known. */
  readonly #toolNames: ReadonlySet<string> | undefined
  readonly #byIndex = new Map<number, PartialCall>()
  readonly #byId = new Map<string, PartialCall>()
  #latestCall: PartialCall | undefined
  /** Whether the latest fragment is in the upstream event that is being read. Its fragments with the same name are several calls. */
  #isLatestInThisEvent = false

  constructor(toolNames: ReadonlySet<string> | undefined) {
    this.#toolNames = toolNames
  }

  /** The call of the latest fragment. */
  get latestCall(): PartialCall | undefined {
    return this.#latestCall
  }

  /** Notes that the next fragments are in another event of the upstream. */
  startEvent(): void {
    this.#isLatestInThisEvent = false
  }

  /**
   * Returns the call of a fragment: the call with its id, or the call with its index, or the latest call, in this order. Undefined if
   * the fragment starts another call.
   */
  find(fragment: ToolCallFragment): PartialCall | undefined {
    const { upstreamIndex, id } = fragment
    const callByIndex = upstreamIndex === undefined ? undefined : this.#byIndex.get(upstreamIndex)
    const callById = id ? this.#byId.get(id) : undefined
    if (callById && (callById === callByIndex || fitsCallOfId(fragment, callById))) return callById
    // The end of unclosed arguments belongs to their call, although the fragment has another id.
    const latest = callByIndex ?? this.#latestCall
    if (latest?.args.isUnclosed && !callById && continuesArguments(fragment)) return latest
    const candidate = callByIndex ?? this.#findPreceding(fragment)
    if (!candidate) return undefined
    const hasOtherId = id && candidate.id !== undefined && !callById
    return hasOtherId || this.#startsNewCall(candidate, fragment) ? undefined : candidate
  }

  /** Whether another call has the id. */
  isIdOfOther(id: string | undefined, call: PartialCall): boolean {
    const callById = id ? this.#byId.get(id) : undefined
    return callById !== undefined && callById !== call
  }

  /** Records the call of a fragment, after the fragment was added to it. */
  record(call: PartialCall, { upstreamIndex = call.upstreamIndex }: ToolCallFragment): void {
    this.#latestCall = call
    this.#isLatestInThisEvent = true
    if (call.id !== undefined) this.#byId.set(call.id, call)
    if (upstreamIndex !== undefined) this.#byIndex.set(upstreamIndex, call)
  }

  /** The latest call, if the fragment or that call has no index. Between calls with indexes, the order means nothing. */
  #findPreceding({ upstreamIndex }: ToolCallFragment): PartialCall | undefined {
    return upstreamIndex === undefined || this.#latestCall?.upstreamIndex === undefined ? this.#latestCall : undefined
  }

  /** Whether a fragment is the first of another call. @param call the call of its index, or else the latest one. */
  #startsNewCall(call: PartialCall, { upstreamIndex, id, name, text = '' }: ToolCallFragment): boolean {
    if (call.args.isComplete && startsObject(text))
      return !!name || !(call.args.isEmptyObject || call.args.equals(text))
    if (!name || call.name === undefined) return false
    const canContinueName = !id && !call.args.hasText
    if (canContinueName && this.#continuesName(call.id, call.name, upstreamIndex, text)) return false
    return name !== call.name || (upstreamIndex === undefined && this.#isLatestInThisEvent)
  }

  /**
   * Whether a fragment with a name but no id continues the name of a call without arguments. Another call would have an id, as
   * this one does, or arguments.
   */
  #continuesName(callId: string | undefined, name: string, upstreamIndex: number | undefined, text: string): boolean {
    if (upstreamIndex !== undefined) return callId !== undefined || text === ''
    const isDeclared = this.#toolNames?.has(name) ?? true
    return text === '' && !this.#isLatestInThisEvent && !isDeclared
  }
}

/**
 * Whether a fragment with the id of a call belongs to that call. A fragment with the index of another call belongs to that call
 * only if it continues unfinished arguments, because some servers send each fragment of a call with a new index.
 */
function fitsCallOfId({ upstreamIndex, name }: ToolCallFragment, call: PartialCall): boolean {
  if (upstreamIndex === undefined || call.upstreamIndex === undefined) return true
  if (upstreamIndex === call.upstreamIndex) return true
  return !name && call.name !== undefined && !call.args.isComplete
}

/** Whether a fragment continues arguments: it has text that does not start an object. */
function continuesArguments({ name, text = '' }: ToolCallFragment): boolean {
  return !name && text.trim() !== '' && !startsObject(text)
}
