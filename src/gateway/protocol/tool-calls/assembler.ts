import { generatedCallId } from '#chat/call-id.ts'
import type { AnswerEvent } from '#chat/events.ts'
import { PartialCall } from './call.ts'
import { startsObject } from './call-arguments.ts'
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

export type AssemblerOptions = {
  /** This service's id of the answer. If the upstream sends no ids of calls, they are generated from it. */
  answerId?: string | undefined
  /** The maximum tokens of the answer: arguments that are cut at this limit are not an error. */
  answerLimit?: number | undefined
  /** The names of the tools that the upstream got. Undefined if they are not known. */
  toolNames?: ReadonlySet<string> | undefined
}

/**
 * Assembles the tool calls of one answer from their pieces, which servers send in many forms (docs/decisions/0197). Each call
 * comes out once, in the order in which the upstream started them. `tool_call` with its id and name comes first: it opens the
 * call for clients. Its arguments follow as they come, and are whole at the end. Several calls may be open at a time.
 * @throws Error for calls that cannot be completed, unless the answer was cut at its limit.
 */
export class ToolCallAssembler {
  readonly #options: AssemblerOptions
  #calls: PartialCall[] = []
  /** The calls by the upstream's numbers and ids. Created for the first call, because most answers have none. */
  #lookup: { byKey: Map<number, PartialCall>; byId: Map<string, PartialCall> } | undefined
  #latestCall: PartialCall | undefined
  /** The number of calls that were opened or dropped. */
  #releasedCount = 0
  /** The number of calls that were opened. */
  #openedCount = 0
  /** The number of the upstream event that is being read. Pieces of one event with the same name are several calls. */
  #eventNumber = 0
  #completionTokens = 0
  /** An end that arrived while a call was incomplete. */
  #heldFinish: Finish | undefined
  /** The end that clients have. */
  #reportedFinish: Finish | undefined
  /** Whether the upstream event that is being read has text. */
  #hasText = false
  /** The answer ended at its limit, so its calls may be cut. */
  #isTruncated = false

  constructor(options: AssemblerOptions) {
    this.#options = options
  }

  /** @param events the content of one event of the upstream. */
  take(events: UpstreamEvent[]): AnswerEvent[] {
    if (!events.some(concernsCalls)) return events as AnswerEvent[]
    this.#hasText = events.some(({ type }) => type === 'text' || type === 'reasoning')
    if (this.#calls.length === 0 && !events.some(isCallPiece)) return this.#passWithoutCalls(events as AnswerEvent[])
    this.#eventNumber++
    return events.flatMap((event) => this.#addEvent(event))
  }

  /** The upstream has sent everything. */
  end(): AnswerEvent[] {
    const finish = this.#heldFinish
    const isAtLimit = this.#completionTokens >= (this.#options.answerLimit ?? Number.POSITIVE_INFINITY)
    const isCutAtLimit = isAtLimit && this.#calls.some((call) => call.args.isCut)
    if (finish && isCutAtLimit) this.#isTruncated = true
    const calls = this.#closeAll()
    if (finish) return [...calls, isCutAtLimit ? { ...finish, reason: 'length' } : this.#withFittingReason(finish)]
    const reported = this.#reportedFinish
    const corrected = reported && this.#withFittingReason(reported)
    // Calls that follow the end change its reason.
    return corrected === reported ? calls : [...calls, corrected!]
  }

  /** Events of an answer without calls so far pass unchanged. */
  #passWithoutCalls(events: AnswerEvent[]): AnswerEvent[] {
    for (const event of events) this.#note(event)
    return events.flatMap((event): AnswerEvent[] => (event.type === 'finish' ? this.#report(event) : [event]))
  }

  /**
   * The end for clients; none if they have it. Some upstreams repeat it, and clients would join the reasons. The end in an
   * event with text stays, because events with the same bytes must have the same content.
   */
  #report(finish: Finish): Finish[] {
    this.#heldFinish = undefined
    const reported = this.#withFittingReason(finish)
    if (reported.reason === this.#reportedFinish?.reason && !this.#hasText) return []
    this.#reportedFinish = reported
    return [reported]
  }

  /** The end with the reason that fits the calls: agents run no tools after `stop`, and wait for calls otherwise. */
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
    // Some upstreams send the end before the first or the last arguments. The usage shows whether the limit was reached.
    this.#heldFinish = event
    return []
  }

  /** Adds a piece. Objects behind its arguments are further calls. A model can repeat itself, so there can be very many. */
  #add(sentPiece: ToolCallPiece): AnswerEvent[] {
    const piece = withoutNullName(sentPiece, this.#options.toolNames)
    const first = this.#addToCall(piece)
    if (first.rest === '') return first.events
    const { events } = first
    for (let { rest } = first; rest !== ''; ) {
      const next = this.#addToCall({ type: 'call_piece', key: piece.key, text: rest })
      events.push(...next.events)
      rest = next.rest
    }
    return events
  }

  /** @returns the events of the call of a piece, and the text that follows its arguments in the piece. */
  #addToCall(piece: ToolCallPiece): { events: AnswerEvent[]; rest: string } {
    const call = this.#findOrCreateCall(piece)
    if (!call) return { events: [], rest: '' }
    this.#lookup ??= { byKey: new Map(), byId: new Map() }
    const { id } = piece
    const callById = id ? this.#lookup.byId.get(id) : undefined
    // The same id under another number is another call, which gets a generated id.
    const isRepeatedId = callById !== undefined && callById !== call
    const rest = call.add(isRepeatedId ? { ...piece, id: undefined } : piece, this.#isNamePartial(piece))
    call.latestEvent = this.#eventNumber
    this.#latestCall = call
    if (call.id !== undefined) this.#lookup.byId.set(call.id, call)
    const key = piece.key ?? call.key
    if (key !== undefined) this.#lookup.byKey.set(key, call)
    const events = call.isOpen ? [...call.takeSignature(), ...call.takeArguments()] : this.#release()
    return { events, rest }
  }

  #isNamePartial({ name = '', isNamePartial }: ToolCallPiece): boolean {
    // Without declared tools, every name can continue.
    return isNamePartial === true || (isNamePartial === 'if_undeclared' && !this.#options.toolNames?.has(name))
  }

  /** Finds the call of a piece, or starts one; undefined for the end of something that is not a call. */
  #findOrCreateCall(piece: ToolCallPiece): PartialCall | undefined {
    const existing = this.#findCall(piece)
    if (existing || isEndMarker(piece)) return existing
    this.#latestCall?.completeName()
    const call = new PartialCall(piece.key)
    this.#calls.push(call)
    return call
  }

  /** The call of a piece: by its id, else by its number, else the latest one. Undefined if the piece starts another call. */
  #findCall(piece: ToolCallPiece): PartialCall | undefined {
    const { key, id, name } = piece
    const callByKey = key === undefined ? undefined : this.#lookup?.byKey.get(key)
    const callById = id ? this.#lookup?.byId.get(id) : undefined
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
    return this.#options.toolNames?.has(name) === false
  }

  /** Arguments without a name belong to the call before them that has none, whose later pieces had another id. */
  #joinNameless(): void {
    const joinedCalls: PartialCall[] = []
    for (const call of this.#calls) {
      const previous = joinedCalls.at(-1)
      if (call.name !== undefined || call.isBlank || previous?.name === undefined || !previous.args.isEmpty)
        joinedCalls.push(call)
      else previous.args.adopt(call.args, previous.name)
    }
    this.#calls = joinedCalls
  }

  /** Opens the calls that are ready for clients, in order. */
  #release(): AnswerEvent[] {
    const events: AnswerEvent[] = []
    for (let call = this.#calls[this.#releasedCount]; call?.canOpen; call = this.#calls[++this.#releasedCount])
      events.push(...this.#open(call), ...call.takeArguments())
    return events
  }

  #open(call: PartialCall): AnswerEvent[] {
    const index = this.#openedCount++
    call.name = findDeclaredName(call.name!, this.#options.toolNames)
    return call.open(index, generatedCallId(call.answerId || this.#options.answerId, index))
  }

  /** Completes all calls, because no more pieces follow. @throws Error for a call that is cut off or has no name. */
  #closeAll(): AnswerEvent[] {
    this.#joinNameless()
    const events: AnswerEvent[] = []
    const latestNames = new Map<number | undefined, string>()
    for (const call of this.#calls) {
      if (call.name === undefined) {
        if (call.isBlank || this.#isTruncated) continue
        // Some servers join the arguments of parallel calls, so a nameless call has the name of the one before it.
        const name = latestNames.get(call.key)
        if (name === undefined || !call.args.isComplete) throw new Error('it calls a tool without a name')
        call.name = name
      }
      latestNames.set(call.key, call.name)
      if (!call.isOpen) events.push(...this.#open(call))
      events.push(...call.takeLastArguments())
      if (call.args.isCut && !this.#isTruncated)
        throw new Error(`the arguments of its call of "${call.name}" are cut off`)
    }
    this.#releasedCount = this.#calls.length
    return events
  }
}

/** Whether a piece is a later part of arguments, which start with an object. */
function continuesArguments({ name, text = '' }: ToolCallPiece): boolean {
  return !name && text.trim() !== '' && !startsObject(text)
}
