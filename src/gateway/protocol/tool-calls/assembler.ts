import { createCallId } from '#chat/call-id.ts'
import type { CompletionEvent } from '#chat/events.ts'
import type { ResponseContext } from '../provider-protocol.ts'
import { CallFinder } from './call-finder.ts'
import { findDeclaredName } from './declared-name.ts'
import { hasNoFragments, isEndMarker, type ToolCallFragment, type UpstreamEvent, withoutNullName } from './fragment.ts'
import { PartialCall } from './partial-call.ts'
import { type Finish, ResponseEnding } from './response-ending.ts'

/**
 * The most tool calls of a response. The main thread reads and writes a whole response at once, which takes about 8 ms for
 * each thousand calls. No model makes so many, except one that repeats itself.
 */
export const maxToolCalls = 5000

/**
 * Assembles the tool calls of one response from their fragments, which servers send in many forms (docs/decisions/0197). Calls are
 * in the order in which the upstream started them. Each has one event `tool_call`, with its id and name, which opens the call
 * for the client. Its arguments follow as they arrive, and are complete at the end. Several calls can be open at a time.
 * @throws Error for too many calls, and for calls that cannot be completed. If the response was cut off at its limit, calls can be
 * incomplete.
 */
export class ToolCallAssembler {
  readonly #context: ResponseContext
  readonly #ending: ResponseEnding
  #calls: PartialCall[] = []
  /** Created for the first call, because most responses have none. */
  #finder: CallFinder | undefined
  /** The number of calls at the start of `#calls` that were opened or dropped. */
  #releasedCount = 0
  #openedCount = 0

  constructor(context: ResponseContext) {
    this.#context = context
    this.#ending = new ResponseEnding(context.outputLimit)
  }

  /** @param events the content of one event of the upstream. */
  push(events: UpstreamEvent[]): CompletionEvent[] {
    if (this.#calls.length === 0 && hasNoFragments(events)) return this.#takeWithoutCalls(events)
    this.#finder?.startEvent()
    const isBesideText = events.some(isTextOrReasoning)
    return events.flatMap((event) =>
      event.type === 'call_fragment' ? this.#addFragment(event) : this.#addOther(event, isBesideText),
    )
  }

  /** Completes all calls after the last event of the upstream. */
  finish(): CompletionEvent[] {
    if (this.#calls.some((call) => call.args.isUnclosed)) this.#ending.truncateAtLimit()
    return [...this.#completeCalls(), ...this.#ending.end(this.#hasCalls)]
  }

  get #hasCalls(): boolean {
    return this.#openedCount > 0
  }

  /** Takes the events of a response that has no calls so far. Most of them pass as they are. */
  #takeWithoutCalls(events: CompletionEvent[]): CompletionEvent[] {
    for (const event of events) this.#ending.note(event)
    if (!events.some(isFinish)) return events
    const isBesideText = events.some(isTextOrReasoning)
    return events.flatMap((event): CompletionEvent[] => (isFinish(event) ? this.#report(event, isBesideText) : [event]))
  }

  #addOther(event: CompletionEvent, isBesideText: boolean): CompletionEvent[] {
    this.#ending.note(event)
    if (!isFinish(event)) return [event]
    if (this.#ending.isTruncated || !this.#calls.some((call) => call.canContinue))
      return [...this.#completeCalls(), ...this.#report(event, isBesideText)]
    // Some upstreams send the finish event before the first or the last arguments. The usage shows whether the limit was
    // reached.
    this.#ending.hold(event)
    return []
  }

  #report(finish: Finish, isBesideText: boolean): Finish[] {
    return this.#ending.report(finish, { hasCalls: this.#hasCalls, isBesideText })
  }

  /** Adds a fragment. Objects after its arguments are further calls. There can be very many, because a model can repeat itself. */
  #addFragment(sentFragment: ToolCallFragment): CompletionEvent[] {
    const fragment = withoutNullName(sentFragment, this.#context.toolNames)
    const { events, rest: otherObjects } = this.#addToCall(fragment)
    let rest = otherObjects
    while (rest !== '') {
      const next = this.#addToCall({ type: 'call_fragment', upstreamIndex: fragment.upstreamIndex, text: rest })
      events.push(...next.events)
      rest = next.rest
    }
    return events
  }

  /** @returns the events of the call of a fragment, and the text that follows its arguments in the fragment. */
  #addToCall(fragment: ToolCallFragment): { events: CompletionEvent[]; rest: string } {
    this.#finder ??= new CallFinder(this.#context.toolNames)
    const call = this.#findOrCreateCall(fragment, this.#finder)
    if (!call) return { events: [], rest: '' }
    // A second call with the same id gets a generated id.
    const uniqueFragment = this.#finder.isIdOfOther(fragment.id, call) ? { ...fragment, id: undefined } : fragment
    const rest = call.add(uniqueFragment, this.#isNamePartial(fragment))
    this.#finder.record(call, fragment)
    const events = call.isOpen ? [...call.takeSignature(), ...call.takeSendableArguments()] : this.#openNextCalls()
    return { events, rest }
  }

  #isNamePartial({ name = '', isNamePartial }: ToolCallFragment): boolean {
    // Without declared tools, every name can continue.
    return isNamePartial === true || (isNamePartial === 'if_undeclared' && !this.#context.toolNames?.has(name))
  }

  /** Finds the call of a fragment, or creates it; undefined for an empty fragment and for the end of an unknown call. */
  #findOrCreateCall(fragment: ToolCallFragment, finder: CallFinder): PartialCall | undefined {
    const existing = finder.find(fragment)
    if (existing || isEndMarker(fragment)) return existing
    if (this.#calls.length === maxToolCalls) throw new Error(`it has more than ${maxToolCalls} tool calls`)
    finder.latestCall?.completeName()
    const call = new PartialCall(fragment.upstreamIndex)
    this.#calls.push(call)
    return call
  }

  /** Opens the calls that can be sent to the client, in order. */
  #openNextCalls(): CompletionEvent[] {
    const events: CompletionEvent[] = []
    while (this.#releasedCount < this.#calls.length) {
      const call = this.#calls[this.#releasedCount]!
      const name = call.completedName
      if (name === undefined) break
      events.push(...this.#open(call, name), ...call.takeSendableArguments())
      this.#releasedCount++
    }
    return events
  }

  #open(call: PartialCall, name: string): CompletionEvent[] {
    const index = this.#openedCount++
    const generatedId = createCallId(call.responseId || this.#context.responseId, index)
    return call.open({ index, id: call.id ?? generatedId, name: findDeclaredName(name, this.#context.toolNames) })
  }

  /** Completes all calls, because no more fragments follow. @throws Error for a call that is cut off or has no name. */
  #completeCalls(): CompletionEvent[] {
    this.#calls = joinNamelessCalls(this.#calls)
    const events: CompletionEvent[] = []
    const latestNames = new Map<number | undefined, string>()
    for (const call of this.#calls) {
      const name = call.name ?? this.#inferName(call, latestNames)
      if (name === undefined) continue
      latestNames.set(call.upstreamIndex, name)
      if (!call.isOpen) events.push(...this.#open(call, name))
      events.push(...call.takeRestOfArguments())
      if (call.args.isUnclosed && !this.#ending.isTruncated)
        throw new Error(`the arguments of the call of "${call.name}" are cut off`)
    }
    this.#releasedCount = this.#calls.length
    return events
  }

  /**
   * The name of a call without one: some servers join the arguments of parallel calls under one index, so it is the name of the
   * previous call there. Undefined for a call that is dropped. @throws Error for another call without a name.
   */
  #inferName(call: PartialCall, latestNames: ReadonlyMap<number | undefined, string>): string | undefined {
    if (call.isEmpty || this.#ending.isTruncated) return undefined
    const name = latestNames.get(call.upstreamIndex)
    if (name === undefined || !call.args.isComplete) throw new Error('it calls a tool without a name')
    return name
  }
}

/**
 * Some upstreams send the arguments of a call under another id, so that they look like a call without a name. They belong
 * to the previous call if it has no arguments.
 */
function joinNamelessCalls(calls: readonly PartialCall[]): PartialCall[] {
  const joinedCalls: PartialCall[] = []
  for (const call of calls) {
    const previous = joinedCalls.at(-1)
    const isContinuation = call.name === undefined && !call.isEmpty
    if (isContinuation && previous?.name !== undefined && !previous.args.hasText) previous.appendNameless(call)
    else joinedCalls.push(call)
  }
  return joinedCalls
}

const isFinish = (event: CompletionEvent) => event.type === 'finish'

const isTextOrReasoning = ({ type }: UpstreamEvent) => type === 'text' || type === 'reasoning'
