import type { ToolCallDelta } from '#chat/chunk.ts'
import type { AnswerEvent } from '#chat/events.ts'
import { CallRepair, parseCalls, type RawCall, withOtherMembers } from './call-repair.ts'

type Part = 'delta' | 'message'
type Message = { tool_calls?: RawCall[] | null } & Record<string, unknown>
export type RawChoice = { index?: number; finish_reason?: string | null; native_finish_reason?: string } & {
  [part in Part]?: Message | null
}
type Finish = Extract<AnswerEvent, { type: 'finish' }>

/** The corrections of one choice. A finish of null is removed. */
type ChoiceRepair = { calls: ToolCallDelta[] | undefined; finish: Finish | null | undefined }

/** The corrections of an event or of a whole answer, by the position of the choice in it. */
export type Repairs = ReadonlyMap<number, ChoiceRepair>

/** Compares the tool calls and finish reasons in the bytes of an upstream with the parsed events. One for each answer. */
export class AnswerRepair {
  readonly #first = new CallRepair()
  #others: Map<number, CallRepair> | undefined
  #hasSeveral = false
  readonly #hasFunctions: boolean
  /** Calls are in `function_call`, as clients of that field expect. */
  #isLegacy = false

  /** @param hasFunctions whether the client offers tools in `functions`, the predecessor of `tools`. */
  constructor(hasFunctions: boolean) {
    this.#hasFunctions = hasFunctions
  }

  /**
   * @param text the JSON or its end as a latin1 string; `wholeText` is all of it.
   * @returns undefined if nothing needs a correction.
   */
  findRepairs(text: string, events: readonly AnswerEvent[], part: Part, wholeText: () => string): Repairs | undefined {
    this.#hasSeveral ||= events.some(({ choice = 0 }) => choice > 0)
    if (this.#hasSeveral) return this.#repairChoices(text, events, part, wholeText)
    this.#isLegacy ||= this.#hasFunctions && legacyCall.test(text) && !currentCall.test(text)
    const calls = this.#isLegacy
      ? undefined
      : this.#first.findCorrectCalls(parseCalls(text), events, part === 'message')
    const correctFinish = repairedFinish(hasFinishReason(text), events, part)
    const finish = this.#isLegacy && legacyReasons.has(correctFinish?.native) ? undefined : correctFinish
    return needsNoRepair({ calls, finish }) ? undefined : new Map([[0, { calls, finish }]])
  }

  #repairChoices(
    text: string,
    events: readonly AnswerEvent[],
    part: Part,
    wholeText: () => string,
  ): Repairs | undefined {
    if (!events.some(isCallOrFinish) && !text.includes('"tool_calls"') && !hasFinishReason(text)) return undefined
    const { choices } = JSON.parse(Buffer.from(wholeText(), 'latin1').toString('utf8')) as { choices?: RawChoice[] }
    const repairs = new Map<number, ChoiceRepair>()
    for (const [position, choice] of (choices ?? []).entries()) {
      const number = part === 'message' ? position : (choice.index ?? position)
      const choiceEvents = events.filter((event) => (event.choice ?? 0) === number)
      const calls = this.#findOrCreateRepair(number).findCorrectCalls(
        choice[part]?.tool_calls ?? [],
        choiceEvents,
        part === 'message',
      )
      const finish = repairedFinish(Boolean(choice.finish_reason), choiceEvents, part)
      if (!needsNoRepair({ calls, finish })) repairs.set(position, { calls, finish })
    }
    return repairs.size > 0 ? repairs : undefined
  }

  #findOrCreateRepair(choice: number): CallRepair {
    if (choice === 0) return this.#first
    this.#others ??= new Map()
    return this.#others.getOrInsertComputed(choice, () => new CallRepair())
  }
}

const legacyCall = /"function_call"\s*:\s*\{/
const currentCall = /"tool_calls"\s*:\s*[[{]\s*["{]/
const needsNoRepair = ({ calls, finish }: ChoiceRepair) => calls === undefined && finish === undefined
const hasFinishReason = (text: string) => /"finish_reason"\s*:\s*"[^"]/.test(text)
const isCallOrFinish = ({ type }: AnswerEvent) => type === 'tool_call' || type === 'tool_arguments' || type === 'finish'

/** The reasons of answers with a call in `function_call`. */
const legacyReasons: ReadonlySet<string | undefined> = new Set(['stop', 'function_call'])

/** Null for a premature finish reason; undefined if it stays. */
function repairedFinish(isEnded: boolean, events: readonly AnswerEvent[], part: Part): Finish | null | undefined {
  const finish = events.find((event) => event.type === 'finish')
  if (!finish) return isEnded ? null : undefined
  // A whole answer without a finish reason.
  if (!isEnded && part === 'message') return finish
  return finish.native === finish.reason ? undefined : finish
}

export function applyRepair(choice: RawChoice, part: Part, { calls, finish }: ChoiceRepair): void {
  if (finish?.native !== undefined) choice.native_finish_reason = finish.native
  if (finish !== undefined) choice.finish_reason = finish?.reason ?? null
  if (!calls) return
  const { tool_calls: rawCalls, ...others } = choice[part] ?? {}
  const before = Array.isArray(rawCalls) ? rawCalls.filter((call) => call) : []
  const correctCalls = withOtherMembers(calls, before).map((call) => (part === 'message' ? unnumbered(call) : call))
  choice[part] = correctCalls.length > 0 ? { ...others, tool_calls: correctCalls } : others
}

function unnumbered({ index: _index, ...call }: ToolCallDelta): object {
  return call
}
