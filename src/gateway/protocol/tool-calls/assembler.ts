import { createCallId } from '#chat/call-id.ts'
import type { AnswerEvent } from '#chat/events.ts'
import type { AnswerContext } from '../provider-protocol.ts'
import { AnswerEnding, type Finish } from './answer-ending.ts'
import { CallFinder } from './call-finder.ts'
import { findDeclaredName } from './declared-name.ts'
import { hasNoFragments, isEndMarker, type ToolCallFragment, type UpstreamEvent, withoutNullName } from './fragment.ts'
import { PartialCall } from './partial-call.ts'

/**
 * The most tool calls of an answer. The main thread reads and writes a whole answer at once, which takes about 8 ms for
 * each thousand calls. No model makes so many, except one that repeats itself.
 */
export const maxToolCalls = 5000

/**
 * Assembles the tool calls of one answer from their fragments, which servers send in many forms (docs/decisions/0197). Calls are
 * in the order in which the upstream started them. Each has one event `tool_call`, with its id and name, which opens the call
 * for the client. Its arguments follow as they arrive, and are complete at the end. Several calls can be open at a time.
 * @throws Error for calls that cannot be completed, unless the answer was cut off at its limit, and for too many calls.
 */
export class ToolCallAssembler {
  readonly #context: AnswerContext
  readonly #ending: AnswerEnding
  #calls: PartialCall[] = []
  /** Created for the first call, because most answers have none. */
  #finder: CallFinder | undefined
  /** The number of calls at the start of `#calls` that were opened or dropped. */
  #releasedCount = 0
  #openedCount = 0

  constructor(context: AnswerContext) {
    this.#context = context
    this.#ending = new AnswerEnding(context.answerLimit)
  }

  /** @param events the content of one event of the upstream. */
  push(events: UpstreamEvent[]): AnswerEvent[] {
    if (this.#calls.length === 0 && hasNoFragments(events)) return this.#takeWithoutCalls(events)
    this.#finder?.startEvent()
    const isBesideText = events.some(isTextOrReasoning)
    return events.flatMap((event) =>
      event.type === 'call_fragment' ? this.#addFragment(event) : this.#addOther(event, isBesideText),
    )
  }

  /** Completes all calls after the last event of the upstream. */
  finish(): AnswerEvent[] {
    if (this.#calls.some((call) => call.args.isUnclosed)) this.#ending.truncateAtLimit()
    return [...this.#completeCalls(), ...this.#ending.end(this.#hasCalls)]
  }

  get #hasCalls(): boolean {
    return this.#openedCount > 0
  }

  /** Takes the events of an answer that has no calls so far. Most of them pass as they are. */
  #takeWithoutCalls(events: AnswerEvent[]): AnswerEvent[] {
    for (const event of events) this.#ending.note(event)
    if (!events.some(isFinish)) return events
    const isBesideText = events.some(isTextOrReasoning)
    return events.flatMap((event): AnswerEvent[] => (isFinish(event) ? this.#report(event, isBesideText) : [event]))
  }

  #addOther(event: AnswerEvent, isBesideText: boolean): AnswerEvent[] {
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
  #addFragment(sentFragment: ToolCallFragment): AnswerEvent[] {
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
  #addToCall(fragment: ToolCallFragment): { events: AnswerEvent[]; rest: string } {
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
  #openNextCalls(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    while (this.#releasedCount < this.#calls.length) {
      const call = this.#calls[this.#releasedCount]!
      const name = call.completedName
      if (name === undefined) break
      events.push(...this.#open(call, name), ...call.takeSendableArguments())
      this.#releasedCount++
    }
    return events
  }

  #open(call: PartialCall, name: string): AnswerEvent[] {
    const index = this.#openedCount++
    const generatedId = createCallId(call.answerId || this.#context.answerId, index)
    return call.open({ index, id: call.id ?? generatedId, name: findDeclaredName(name, this.#context.toolNames) })
  }

  /** Completes all calls, because no more fragments follow. @throws Error for a call that is cut off or has no name. */
  #completeCalls(): AnswerEvent[] {
    this.#calls = joinNamelessCalls(this.#calls)
    const events: AnswerEvent[] = []
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

const isFinish = (event: AnswerEvent) => event.type === 'finish'

const isTextOrReasoning = ({ type }: UpstreamEvent) => type === 'text' || type === 'reasoning'
