import type { PermissionAnswer } from '#interns/contract/answer.ts'
import {
  type PermissionChoice,
  type PermissionKind,
  type PermissionQuestion,
  permissionKinds,
  type WholePermission,
} from '#interns/contract/question.ts'
import { printableExactly } from '#platform/text/printable.ts'
import { changeText } from './change-text.ts'
import { member } from './connection.ts'
import { operationOf } from './operation.ts'
import { commandRunBy, readToolCall, type ToolCall } from './tool-call.ts'

/** The agent's own names for what was chosen. */
export type PermissionOutcome = { outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string } }

export type PermissionRequest = {
  tool: ToolCall
  /** Nobody is to be asked on the agent's own account: it would do this, unless a rule says otherwise. */
  onlyJudged: boolean
  /** `detail` is not cut yet. */
  question: PermissionQuestion
  whole: WholePermission
  /** The answer in the agent's own names. `choice` is one of the question's, where several are of the kind. */
  outcome(answer: PermissionAnswer, choice?: PermissionChoice): PermissionOutcome
}

export const cancelledPermission: PermissionOutcome = { outcome: { outcome: 'cancelled' } }

const maxChoices = 50
const longestName = 500
const longestId = 200

/** Reads a request for permission. `earlier` is what was told of the tool call before. */
export function readPermission(
  params: unknown,
  earlier: (toolCallId: string) => ToolCall | undefined,
): PermissionRequest {
  const offers = readOffers(member(params, 'options'))
  const choices = offers.map(({ optionId: _, ...choice }) => choice)
  const options = [...new Set(offers.map(({ kind }) => kind))]
  const { tool, operation, whole } = describe(member(params, 'toolCall'), earlier)
  return {
    tool,
    onlyJudged: member(member(member(params, '_meta'), 'signalbox'), 'onlyJudged') === true,
    question: { kind: 'permission', operation, detail: whole.detail, options, ...(choices.length > 0 && { choices }) },
    whole,
    outcome: (answer, choice) => {
      const chosen = offers.find(({ id, kind }) => (choice ? id === choice.id : kind === answer))
      if (!chosen) return cancelledPermission
      return { outcome: { outcome: 'selected', optionId: chosen.optionId } }
    },
  }
}

/** An option of the agent; `id` is its name for callers, `optionId` the one for the agent. */
type Offer = PermissionChoice & { optionId: string }

function readOffers(options: unknown): Offer[] {
  const offers = new Map<string, Offer>()
  for (const [at, option] of (Array.isArray(options) ? options : []).slice(0, maxChoices).entries()) {
    const optionId = member(option, 'optionId')
    const kind = permissionKinds.find((one) => one === member(option, 'kind'))
    if (!kind || typeof optionId !== 'string' || offers.has(optionId)) continue
    const name = member(option, 'name')
    const shown = typeof name === 'string' && name.trim() !== '' ? name.slice(0, longestName) : optionId
    offers.set(optionId, { id: canBeId(optionId, kind) ? optionId : `option_${at + 1}`, kind, name: shown, optionId })
  }
  return [...offers.values()]
}

/** A word that means another answer cannot be the id of an option, nor can what callers cannot type. */
function canBeId(id: string, kind: PermissionKind): boolean {
  const means = [...permissionKinds, 'cancel'].find((word) => word === id)
  if (means !== undefined) return means === kind
  return id !== '' && id.length <= longestId && id.trim() === id && printableExactly(id) === id
}

/** Whether several options are of a kind, so that the kind alone does not say which is meant. */
export const isAmbiguous = ({ choices = [] }: PermissionQuestion, kind: PermissionAnswer) =>
  choices.filter((choice) => choice.kind === kind).length > 1

/** Consent on the caller's behalf: once if the agent offers that, and never more than it offers. */
export function selfDriveAnswer(options: PermissionKind[]): PermissionAnswer {
  return (
    options.find((option) => option === 'allow_once') ?? options.find((option) => option === 'allow_always') ?? 'cancel'
  )
}

/** Some agents shorten what they show and tell the whole only in the tool call: who consents must see the whole. */
function describe(call: unknown, earlier: (toolCallId: string) => ToolCall | undefined) {
  const id = member(call, 'toolCallId')
  const tool: ToolCall = { ...(typeof id === 'string' ? earlier(id) : undefined), ...readToolCall(call) }
  const { changes = [], paths = [] } = tool
  const command = wholeCommand(tool) ?? null
  const told = changes.map((change) => ({ path: change.path, diff: changeText(change) }))
  const operation = operationOf(tool)
  const detail = detailOf(tool, told)
  return { tool, operation, whole: { detail: detail === operation ? null : detail, command, paths, changes: told } }
}

/** The command, or else what the agent calls it, and what it would write; never less than what the agent said. */
function detailOf(tool: ToolCall, changes: WholePermission['changes']): string | null {
  const { title, input, text, paths = [] } = tool
  const { command } = commandRunBy(tool)
  // What an agent says around the whole command, such as that there is no sandbox for it, is told, too.
  const headline = command ? (title?.includes(command) ? title : command) : title
  const parts = [headline, ...changes.map(({ diff }) => diff)]
  if (wholeCommand(tool) === undefined && changes.length === 0)
    parts.push(saysMore(input, headline) ? input : undefined, command ? undefined : text)
  const told = parts.filter(Boolean).join('\n')
  const elsewhere = command ? [] : paths.filter((path) => !told.includes(path))
  return [told, ...elsewhere].filter(Boolean).join('\n') || null
}

/** The command where it is all that is to be done: of a tool that may be none for commands nothing else must be in the input. */
function wholeCommand(tool: ToolCall): string | undefined {
  const { command } = commandRunBy(tool)
  return tool.kind === 'execute' || !saysMore(tool.input, command) ? command : undefined
}

/** Whether an input has anything that the words for it leave out. */
function saysMore(input: string | undefined, words = ''): boolean {
  if (input === undefined) return false
  try {
    const values = Object.values(JSON.parse(input) as object)
    return values.some((value) => !words.includes(inWords(value)))
  } catch {
    return !words.includes(input)
  }
}

/** The words of a command that are told apart are shown side by side. */
const inWords = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(inWords).join(' ') : JSON.stringify(value)
