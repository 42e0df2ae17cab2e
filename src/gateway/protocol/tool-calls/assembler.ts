import { generatedCallId } from '#chat/call-id.ts'
import type { AnswerEvent } from '#chat/events.ts'
import type { AnswerContext } from '../provider-protocol.ts'
import { PartialCall } from './call.ts'
import { CallFinder } from './call-finder.ts'
import { findDeclaredName } from './declared-name.ts'
import {
  concernsCalls,
  isCallPiece,
  isEndMarker,
  type ToolCallPiece,
  type UpstreamEvent,
  withoutNullName,
} from './piece.ts'

type Finish = Extract<AnswerEvent, { type: 'finish' }>

/**
 * Assembles the tool calls of one answer from their pieces, which servers send in many forms (docs/decisions/0197). Calls are
 * in the order in which the upstream started them. Each has one event `tool_call`, with its id and name, which opens the call
 * for the client. Its arguments follow as they arrive, and are complete at the end. Several calls can be open at a time.
 * @throws Error for calls that cannot be completed, unless the answer was cut off at its limit.
 */
export class ToolCallAssembler {
  readonly #context: AnswerContext
  #calls: PartialCall[] = []
  /** Created for the first call, because most answers have none. */
  #finder: CallFinder | undefined
  /** The number of calls that were opened or dropped. */
  #releasedCount = 0
  /** The number of calls that were opened. */
  #openedCount = 0
  #completionTokens = 0
  /** A finish event that arrived while a call was incomplete. It is sent after the last piece. */
  #heldFinish: Finish | undefined
  /** The finish event that was sent to the client. */
  #reportedFinish: Finish | undefined
  /** Whether the upstream event that is being read has text. */
  #hasText = false
  /** The answer ended at its limit or by a content filter, so its calls can be cut off. */
  #isTruncated = false

  constructor(context: AnswerContext) {
    this.#context = context
  }

  /** @param events the content of one event of the upstream. */
  take(events: UpstreamEvent[]): AnswerEvent[] {
    if (!events.some(concernsCalls)) return events as AnswerEvent[]
    this.#hasText = events.some(({ type }) => type === 'text' || type === 'reasoning')
    if (this.#calls.length === 0 && !events.some(isCallPiece)) return this.#passWithoutCalls(events as AnswerEvent[])
    this.#finder?.startEvent()
    return events.flatMap((event) => this.#addEvent(event))
  }

  /** Completes all calls after the last event of the upstream. */
  end(): AnswerEvent[] {
    const finish = this.#heldFinish
    const isAtLimit = this.#completionTokens >= (this.#context.answerLimit ?? Number.POSITIVE_INFINITY)
    const isCutOffAtLimit = isAtLimit && this.#calls.some((call) => call.args.isUnclosed)
    if (finish && isCutOffAtLimit) this.#isTruncated = true
    const calls = this.#closeAll()
    if (finish) return [...calls, isCutOffAtLimit ? { ...finish, reason: 'length' } : this.#withFittingReason(finish)]
    const reported = this.#reportedFinish
    const corrected = reported && this.#withFittingReason(reported)
    // Calls that follow the finish event change its reason.
    return corrected === reported ? calls : [...calls, corrected!]
  }

  /** Passes the events of an answer that has no calls so far. */
  #passWithoutCalls(events: AnswerEvent[]): AnswerEvent[] {
    for (const event of events) this.#note(event)
    return events.flatMap((event): AnswerEvent[] => (event.type === 'finish' ? this.#report(event) : [event]))
  }

  /**
   * The finish event for the client; none if it was sent already. Some upstreams repeat it, and clients would join the
   * reasons. A repetition in an event with text is sent, because events with the same bytes must have the same content.
   */
  #report(finish: Finish): Finish[] {
    this.#heldFinish = undefined
    const reported = this.#withFittingReason(finish)
    if (reported.reason === this.#reportedFinish?.reason && !this.#hasText) return []
    this.#reportedFinish = reported
    return [reported]
  }

  /** Gives the finish event the reason that fits the calls: agents run tools only after `tool_calls`, and need calls then. */
  #withFittingReason(finish: Finish): Finish {
    const hasCalls = this.#openedCount > 0
    if (finish.reason === 'stop' && hasCalls) return { ...finish, reason: 'tool_calls' }
    return finish.reason === 'tool_calls' && !hasCalls ? { ...finish, reason: 'stop' } : finish
  }

  /** Records the facts that decide whether an incomplete call is an error. */
  #note(event: AnswerEvent): void {
    if (event.type === 'usage') this.#completionTokens = event.tokens.completion
    else if (event.type === 'finish' && (event.reason === 'length' || event.reason === 'content_filter'))
      this.#isTruncated = true
  }

  #addEvent(event: UpstreamEvent): AnswerEvent[] {
    if (event.type === 'call_piece') return this.#add(event)
    this.#note(event)
    if (event.type !== 'finish') return [event]
    if (this.#isTruncated || !this.#calls.some((call) => call.canContinue))
      return [...this.#closeAll(), ...this.#report(event)]
    // Some upstreams send the finish event before the first or the last arguments. The usage shows whether the limit was
    // reached.
    this.#heldFinish = event
    return []
  }

  /** Adds a piece. Objects after its arguments are further calls. There can be very many, because a model can repeat itself. */
  #add(sentPiece: ToolCallPiece): AnswerEvent[] {
    const piece = withoutNullName(sentPiece, this.#context.toolNames)
    const first = this.#addToCall(piece)
    if (first.rest === '') return first.events
    const { events } = first
    for (let { rest } = first; rest !== ''; ) {
      const next = this.#addToCall({ type: 'call_piece', upstreamIndex: piece.upstreamIndex, text: rest })
      events.push(...next.events)
      rest = next.rest
    }
    return events
  }

  /** @returns the events of the call of a piece, and the text that follows its arguments in the piece. */
  #addToCall(piece: ToolCallPiece): { events: AnswerEvent[]; rest: string } {
    this.#finder ??= new CallFinder(this.#context.toolNames)
    const call = this.#findOrCreateCall(piece, this.#finder)
    if (!call) return { events: [], rest: '' }
    // A second call with the same id gets a generated id.
    const uniquePiece = this.#finder.isIdOfOther(piece.id, call) ? { ...piece, id: undefined } : piece
    const rest = call.add(uniquePiece, this.#isNamePartial(piece))
    this.#finder.record(call, piece)
    const events = call.isOpen ? [...call.takeSignature(), ...call.takeSendableArguments()] : this.#release()
    return { events, rest }
  }

  #isNamePartial({ name = '', isNamePartial }: ToolCallPiece): boolean {
    // Without declared tools, every name can continue.
    return isNamePartial === true || (isNamePartial === 'if_undeclared' && !this.#context.toolNames?.has(name))
  }

  /** Finds the call of a piece, or creates it; undefined for an empty piece and for the end of an unknown call. */
  #findOrCreateCall(piece: ToolCallPiece, finder: CallFinder): PartialCall | undefined {
    const existing = finder.find(piece)
    if (existing || isEndMarker(piece)) return existing
    finder.latestCall?.completeName()
    const call = new PartialCall(piece.upstreamIndex)
    this.#calls.push(call)
    return call
  }

  /**
   * Some upstreams send the arguments of a call under another id, so that they look like a call without a name. They belong
   * to the previous call if it has no arguments.
   */
  #joinNameless(): void {
    const joinedCalls: PartialCall[] = []
    for (const call of this.#calls) {
      const previous = joinedCalls.at(-1)
      if (call.name !== undefined || call.isEmpty || previous?.name === undefined || previous.args.hasText)
        joinedCalls.push(call)
      else previous.args.appendNameless(call.args, previous.name)
    }
    this.#calls = joinedCalls
  }

  /** Opens the calls that can be sent to the client, in order. */
  #release(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (let call = this.#calls[this.#releasedCount]; call?.canOpen; call = this.#calls[++this.#releasedCount])
      events.push(...this.#open(call), ...call.takeSendableArguments())
    return events
  }

  #open(call: PartialCall): AnswerEvent[] {
    const index = this.#openedCount++
    call.name = findDeclaredName(call.name!, this.#context.toolNames)
    return call.open(index, generatedCallId(call.answerId || this.#context.answerId, index))
  }

  /** Completes all calls, because no more pieces follow. @throws Error for a call that is cut off or has no name. */
  #closeAll(): AnswerEvent[] {
    this.#joinNameless()
    const events: AnswerEvent[] = []
    const latestNames = new Map<number | undefined, string>()
    for (const call of this.#calls) {
      if (call.name === undefined) {
        if (call.isEmpty || this.#isTruncated) continue
        // Some servers join the arguments of parallel calls under one index, so such a call has the name of the previous one.
        const name = latestNames.get(call.upstreamIndex)
        if (name === undefined || !call.args.isComplete) throw new Error('it calls a tool without a name')
        call.name = name
      }
      latestNames.set(call.upstreamIndex, call.name)
      if (!call.isOpen) events.push(...this.#open(call))
      events.push(...call.takeRestOfArguments())
      if (call.args.isUnclosed && !this.#isTruncated)
        throw new Error(`the arguments of the call of "${call.name}" are cut off`)
    }
    this.#releasedCount = this.#calls.length
    return events
  }
}
