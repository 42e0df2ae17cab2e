import type { ToolCallDelta } from '#chat/chunk.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { isObject } from '#platform/core/is-object.ts'
import { parseEventObject } from '../../../protocol/passthrough-rewriter.ts'
import { CallRepair, parseCalls, withOtherFields } from './call-repair.ts'
import { choiceIndexOf, type MessageField, type RawCall, type RawChoice, type RawMessage } from './raw-choice.ts'

type Finish = Extract<CompletionEvent, { type: 'finish' }>

/** The correction of a finish reason: its replacement, or the removal of a premature reason. */
type FinishRepair = Finish | 'removed'

/** The corrections of one choice. Undefined leaves a field unchanged. */
type ChoiceRepair = { calls: ToolCallDelta[] | undefined; finish: FinishRepair | undefined }

/** The corrections of an event or of a whole response, by the position of the choice in it. */
export type Repairs = ReadonlyMap<number, ChoiceRepair>

/**
 * Compares the tool calls and finish reasons in the bytes of an upstream with the parsed events, in which mistakes are repaired.
 * Each response has its own instance.
 */
export class ResponseRepair {
  /** The repair of the first choice. Most responses have no other. */
  readonly #firstRepair = new CallRepair()
  #otherRepairs: Map<number, CallRepair> | undefined
  #hasSeveralChoices = false
  readonly #hasFunctions: boolean
  /** Whether the upstream sends its call in `function_call`, as a client that offers `functions` expects. */
  #isLegacy = false

  /** @param hasFunctions whether the client offers tools in `functions`, the predecessor of `tools`. */
  constructor(hasFunctions: boolean) {
    this.#hasFunctions = hasFunctions
  }

  /**
   * The corrections of an event of a stream.
   * @param text the JSON of the event from the choices on or from an earlier field, as a latin1 string, which is cheap and has
   * one character for each byte.
   * @param raw the bytes of the event.
   * @returns undefined if nothing needs a correction.
   */
  findRepairs(text: string, events: readonly CompletionEvent[], raw: Buffer): Repairs | undefined {
    this.#hasSeveralChoices ||= events.some(({ choice = 0 }) => choice > 0)
    if (this.#hasSeveralChoices) {
      if (!events.some(isCallOrFinish) && !text.includes('"tool_calls"') && !hasFinishReason(text)) return undefined
      const { choices } = parseEventObject(raw) as { choices?: RawChoice[] }
      return this.#repairChoices(choices ?? [], events, 'delta')
    }
    this.#isLegacy ||= this.#hasFunctions && functionCallPattern.test(text) && !toolCallPattern.test(text)
    const calls = this.#isLegacy ? undefined : this.#firstRepair.findCorrectCalls(parseCalls(text), events, 'delta')
    const finish = this.#withoutLegacyReason(findFinishRepair(hasFinishReason(text), events, 'delta'))
    return needsNoRepair({ calls, finish }) ? undefined : new Map([[0, { calls, finish }]])
  }

  /** The corrections of a whole response. @returns undefined if nothing needs a correction. */
  findWholeRepairs(choices: readonly RawChoice[], events: readonly CompletionEvent[]): Repairs | undefined {
    const { function_call: call } = choices[0]?.message ?? {}
    this.#isLegacy = this.#hasFunctions && isObject(call) && listCalls(choices[0]?.message).length === 0
    return this.#repairChoices(choices, events, 'message')
  }

  #repairChoices(
    choices: readonly RawChoice[],
    events: readonly CompletionEvent[],
    field: MessageField,
  ): Repairs | undefined {
    let repairs: Map<number, ChoiceRepair> | undefined
    const eventsByChoice = choices.length > 1 ? Map.groupBy(events, ({ choice = 0 }) => choice) : undefined
    for (let position = 0; position < choices.length; position++) {
      const choice = choices[position]!
      const choiceIndex = choiceIndexOf(choice, position, field)
      const ownEvents = eventsByChoice ? (eventsByChoice.get(choiceIndex) ?? []) : events
      const rawCalls = listCalls(choice[field])
      const calls = this.#isLegacy
        ? undefined
        : this.#findOrCreateRepair(choiceIndex).findCorrectCalls(rawCalls, ownEvents, field)
      const finish = this.#withoutLegacyReason(findFinishRepair(Boolean(choice.finish_reason), ownEvents, field))
      if (needsNoRepair({ calls, finish })) continue
      repairs ??= new Map()
      repairs.set(position, { calls, finish })
    }
    return repairs
  }

  /** Leaves the reasons of responses with a call in `function_call`. */
  #withoutLegacyReason(finish: FinishRepair | undefined): FinishRepair | undefined {
    if (!this.#isLegacy || finish === 'removed') return finish
    return legacyReasons.has(finish?.native) ? undefined : finish
  }

  #findOrCreateRepair(choiceIndex: number): CallRepair {
    if (choiceIndex === 0) return this.#firstRepair
    this.#otherRepairs ??= new Map()
    return this.#otherRepairs.getOrInsertComputed(choiceIndex, () => new CallRepair())
  }
}

const listCalls = (message: RawMessage | null | undefined): RawCall[] =>
  Array.isArray(message?.tool_calls) ? message.tool_calls : []

const functionCallPattern = /"function_call"\s*:\s*\{/
const toolCallPattern = /"tool_calls"\s*:\s*[[{]\s*["{]/
const needsNoRepair = ({ calls, finish }: ChoiceRepair) => calls === undefined && finish === undefined
const hasFinishReason = (text: string) => /"finish_reason"\s*:\s*"[^"]/.test(text)
const isCallOrFinish = ({ type }: CompletionEvent) =>
  type === 'tool_call' || type === 'tool_arguments' || type === 'finish'

/** The reasons of responses with a call in `function_call`. */
const legacyReasons: ReadonlySet<string | undefined> = new Set(['stop', 'function_call'])

/** Finds the correction of the upstream's finish reason. @param isEnded whether the upstream sent a finish reason. */
function findFinishRepair(
  isEnded: boolean,
  events: readonly CompletionEvent[],
  field: MessageField,
): FinishRepair | undefined {
  const finish = events.find((event) => event.type === 'finish')
  if (!finish) return isEnded ? 'removed' : undefined
  // A whole response without a finish reason.
  if (!isEnded && field === 'message') return finish
  return finish.native === finish.reason ? undefined : finish
}

export function applyRepair(choice: RawChoice, field: MessageField, { calls, finish }: ChoiceRepair): void {
  if (finish === 'removed') choice.finish_reason = null
  else if (finish) {
    if (finish.native !== undefined) choice.native_finish_reason = finish.native
    choice.finish_reason = finish.reason
  }
  if (!calls) return
  const { tool_calls: rawCalls, ...others } = choice[field] ?? {}
  const replacedCalls = Array.isArray(rawCalls) ? rawCalls.filter((call) => call) : []
  const correctCalls = withOtherFields(calls, replacedCalls).map((call) =>
    field === 'message' ? withoutIndex(call) : call,
  )
  choice[field] = correctCalls.length > 0 ? { ...others, tool_calls: correctCalls } : others
}

function withoutIndex({ index: _index, ...call }: ToolCallDelta): object {
  return call
}
