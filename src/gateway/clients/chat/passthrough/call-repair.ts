import type { ToolCallDelta } from '#chat/chunk.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { valueEnd } from '#platform/json/json-text/json-fields.ts'
import { toArgumentsDelta, toEmptyCall } from '../parts.ts'
import type { MessageField, RawCall } from './raw-choice.ts'

/** Compares the tool calls in an upstream's bytes with the assembled ones. Each choice has its own instance. */
export class CallRepair {
  #customCalls: Set<number> | undefined
  /** The number of calls that clients have. */
  #callCount = 0

  /**
   * The tool calls that replace those in an event or a whole response, as deltas. Undefined if they are correct.
   * @param field `message` for a whole response, where calls have no index.
   */
  findCorrectCalls(
    calls: (RawCall | null)[],
    events: readonly CompletionEvent[],
    field: MessageField,
  ): ToolCallDelta[] | undefined {
    if (calls.length === 0 && !events.some(isCallEvent)) return undefined
    const correctCalls = this.#toDeltas(events)
    if (calls.includes(null)) return correctCalls
    const rawCalls = field === 'message' ? calls.map((call, index) => ({ ...call, index })) : (calls as RawCall[])
    // An empty delta before its call would be a call without a name.
    const effective = rawCalls.filter((call) => !(isEmptyDelta(call) && Number(call.index) < this.#callCount))
    const isSame =
      effective.length === correctCalls.length && effective.every((call, at) => isEquivalent(call, correctCalls[at]!))
    return isSame ? undefined : correctCalls
  }

  /** One delta for each call that the events add to. */
  #toDeltas(events: readonly CompletionEvent[]): ToolCallDelta[] {
    const deltas = new Map<number, ToolCallDelta>()
    for (const event of events) {
      if (event.type === 'tool_call') {
        this.#callCount = event.index + 1
        if (event.custom) this.#addCustom(event.index)
        deltas.set(event.index, { index: event.index, ...toEmptyCall(event) })
      } else if (event.type === 'tool_arguments') this.#addArguments(deltas, event)
    }
    return [...deltas.values()]
  }

  #addCustom(index: number): void {
    this.#customCalls ??= new Set()
    this.#customCalls.add(index)
  }

  #addArguments(
    deltas: Map<number, ToolCallDelta>,
    { index, text }: Extract<CompletionEvent, { type: 'tool_arguments' }>,
  ): void {
    const isCustom = this.#customCalls?.has(index) ?? false
    const delta = deltas.get(index)
    if (!delta) deltas.set(index, { index, ...toArgumentsDelta(text, isCustom) })
    else if (isCustom) delta.custom = { ...delta.custom, input: (delta.custom?.input ?? '') + text }
    else delta.function = { ...delta.function, arguments: (delta.function?.arguments ?? '') + text }
  }
}

const isCallEvent = ({ type }: CompletionEvent) => type === 'tool_call' || type === 'tool_arguments'

const listName = '"tool_calls"'
const openingPattern = /\s*:\s*\[/y

/** The first list of calls in JSON, given as a latin1 string. */
export function parseCalls(text: string): (RawCall | null)[] {
  for (let at = text.indexOf(listName); at !== -1; at = text.indexOf(listName, at + 1)) {
    openingPattern.lastIndex = at + listName.length
    if (!openingPattern.test(text)) continue
    const from = openingPattern.lastIndex - 1
    return JSON.parse(
      Buffer.from(text.slice(from, valueEnd(text, from)), 'latin1').toString('utf8'),
    ) as (RawCall | null)[]
  }
  return []
}

const readName = ({ function: functionCall, custom }: RawCall) => functionCall?.name || custom?.name || undefined
const readArguments = ({ function: functionCall, custom }: RawCall) => functionCall?.arguments ?? custom?.input ?? ''

function isEmptyDelta(call: RawCall): boolean {
  return typeof call.index === 'number' && !call.id && !readName(call) && readArguments(call) === ''
}

/** Whether a client that concatenates deltas reads the same call from the upstream's delta and from the correct one. */
function isEquivalent(rawCall: RawCall, correctCall: ToolCallDelta): boolean {
  return (
    rawCall.index === correctCall.index &&
    (rawCall.id || undefined) === correctCall.id &&
    readName(rawCall) === readName(correctCall) &&
    readArguments(rawCall) === readArguments(correctCall) &&
    (correctCall.id === undefined || rawCall.type === correctCall.type)
  )
}

/** The replacing calls. @param rawCalls the replaced calls, whose other fields stay. */
export function withOtherFields(correctCalls: readonly ToolCallDelta[], rawCalls: readonly RawCall[]): ToolCallDelta[] {
  const rawCallById = new Map<unknown, RawCall>()
  for (const rawCall of rawCalls) rawCallById.getOrInsert(rawCall.id, rawCall)
  return correctCalls.map((call, at) => {
    const {
      id: _id,
      index: _index,
      type: _type,
      function: _function,
      custom: _custom,
      ...others
    } = (call.id ? rawCallById.get(call.id) : undefined) ?? rawCalls[at] ?? {}
    return { ...others, ...call }
  })
}
