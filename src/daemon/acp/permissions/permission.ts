import type { PermissionAnswer } from '#interns/contract/answer.ts'
import {
  type PermissionChoice,
  type PermissionDetails,
  type PermissionKind,
  type PermissionQuestion,
  permissionKinds,
} from '#interns/contract/question.ts'
import { resolveFromRoot } from '#interns/contract/rules/match-path.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import { readProperty } from '../rpc-message.ts'
import { findFolders } from '../tool-calls/action.ts'
import { formatChange } from '../tool-calls/change-text.ts'
import { toOperation } from '../tool-calls/operation.ts'
import { getCommand, readToolCall, type ToolCall } from '../tool-calls/tool-call.ts'

/** The response to a permission request, with the agent's id of the selected option. */
export type PermissionOutcome = { outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string } }

export type PermissionRequest = {
  tool: ToolCall
  /** The agent asks only because a rule can forbid the action. If no rule matches, the action is allowed without a question. */
  isForRulesOnly: boolean
  /** The question with its complete `detail`. */
  question: PermissionQuestion
  details: PermissionDetails
  /** Translates an answer for the agent. `choice` is required if several options are of the same kind. */
  toOutcome(answer: PermissionAnswer, choice?: PermissionChoice): PermissionOutcome
}

export const cancelledPermission: PermissionOutcome = { outcome: { outcome: 'cancelled' } }

/** An agent can send any number of options, and names of any length. The rest is ignored or cut. */
const maxChoices = 50
const maxNameLength = 500
const maxIdLength = 200

/** Reads a permission request. `findToolCall` returns the tool call as the agent reported it before. */
export function readPermission(
  params: unknown,
  workspace: string,
  findToolCall: (toolCallId: string) => ToolCall | undefined,
): PermissionRequest {
  const agentOptions = readOptions(readProperty(params, 'options'))
  const choices = agentOptions.map(({ optionId: _, ...choice }) => choice)
  const options = [...new Set(agentOptions.map(({ kind }) => kind))]
  const { tool, operation, details } = describeAction(readProperty(params, 'toolCall'), workspace, findToolCall)
  return {
    tool,
    isForRulesOnly: readProperty(readProperty(readProperty(params, '_meta'), 'signalbox'), 'onlyJudged') === true,
    question: {
      kind: 'permission',
      operation,
      detail: details.detail,
      options,
      ...(choices.length > 0 && { choices }),
    },
    details,
    toOutcome: (answer, choice) => {
      const option = agentOptions.find(({ id, kind }) => (choice ? id === choice.id : kind === answer))
      if (!option) return cancelledPermission
      return { outcome: { outcome: 'selected', optionId: option.optionId } }
    },
  }
}

/** An option of the agent. Callers use its `id`, the agent its `optionId`. */
type AgentOption = PermissionChoice & { optionId: string }

function readOptions(options: unknown): AgentOption[] {
  const optionsById = new Map<string, AgentOption>()
  for (const [at, option] of (Array.isArray(options) ? options : []).slice(0, maxChoices).entries()) {
    const optionId = readProperty(option, 'optionId')
    const kind = permissionKinds.find((one) => one === readProperty(option, 'kind'))
    if (!kind || typeof optionId !== 'string' || optionsById.has(optionId)) continue
    const name = readProperty(option, 'name')
    const displayName = typeof name === 'string' && name.trim() !== '' ? name.slice(0, maxNameLength) : optionId
    optionsById.set(optionId, {
      id: isUsableId(optionId, kind) ? optionId : `option_${at + 1}`,
      kind,
      name: displayName,
      optionId,
    })
  }
  return [...optionsById.values()]
}

/** An id must not be the word for another answer, and callers must be able to type it. */
function isUsableId(id: string, kind: PermissionKind): boolean {
  const reserved = [...permissionKinds, 'cancel'].find((word) => word === id)
  if (reserved !== undefined) return reserved === kind
  return id !== '' && id.length <= maxIdLength && id.trim() === id && escapeUnambiguously(id) === id
}

/** Whether several options are of a kind, so that the kind alone does not identify one. */
export const isAmbiguous = ({ choices = [] }: PermissionQuestion, kind: PermissionAnswer) =>
  choices.filter((choice) => choice.kind === kind).length > 1

export const isAllowing = (answer: PermissionAnswer) => answer === 'allow_once' || answer === 'allow_always'

/** The answer that allows an action without asking: once, if the agent offers that. */
export function chooseAllowingAnswer(options: PermissionKind[]): PermissionAnswer {
  return (
    options.find((option) => option === 'allow_once') ?? options.find((option) => option === 'allow_always') ?? 'cancel'
  )
}

/** Describes the whole action. Some agents shorten the title, and have the complete action only in the tool call. */
function describeAction(call: unknown, workspace: string, findToolCall: (toolCallId: string) => ToolCall | undefined) {
  const id = readProperty(call, 'toolCallId')
  const tool = readToolCall(call, typeof id === 'string' ? findToolCall(id) : undefined)
  const { changes = [], paths = [] } = tool
  const command = findWholeCommand(tool) ?? null
  const diffs = changes.map((change) => ({ path: change.path, diff: formatChange(change) }))
  const operation = toOperation(tool)
  const folder = command === null ? null : formatFolder(tool, workspace)
  const detail = formatDetail(tool, diffs, folder)
  const shownDetail = detail === operation ? null : detail
  return { tool, operation, details: { detail: shownDetail, command, folder, paths, changes: diffs } }
}

/** Formats the command with its folder, or the title, the diffs, and whatever else the agent reported about the action. */
function formatDetail(tool: ToolCall, changes: PermissionDetails['changes'], folder: string | null): string | null {
  const { title, input, text: toolText, paths = [] } = tool
  const { command } = getCommand(tool)
  // A title can have more than the command, such as a note that it runs without a sandbox.
  const headline = command && !title?.includes(command) ? command : title
  const parts = [
    folder === null ? headline : `In ${quoteFolder(folder)}: ${headline}`,
    ...changes.map(({ diff }) => diff),
  ]
  if (findWholeCommand(tool) === undefined && changes.length === 0)
    parts.push(hasOtherValues(input, headline) ? input : undefined, command ? undefined : toolText)
  const text = parts.filter(Boolean).join('\n')
  const otherPaths = command ? [] : paths.filter((path) => !text.includes(path))
  return [text, ...otherPaths].filter(Boolean).join('\n') || null
}

/** The working folder of a command, if it is not the workspace. */
function formatFolder(tool: ToolCall, workspace: string): string | null {
  const folders = findFolders(tool, workspace).filter((folder) => folder !== workspace)
  return folders.map((folder) => resolveFromRoot(workspace, folder)).join(', ') || null
}

/** Quotes a name with which another command could be pretended. */
const quoteFolder = (folder: string) => (/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder))

/** The command, if it is the whole action. The input of a tool of another kind must contain nothing else. */
function findWholeCommand(tool: ToolCall): string | undefined {
  const { command } = getCommand(tool)
  return tool.kind === 'execute' || !hasOtherValues(tool.input, command) ? command : undefined
}

/** Whether an input has values that the text does not contain. */
function hasOtherValues(input: string | undefined, text = ''): boolean {
  if (input === undefined) return false
  try {
    const values = Object.values(JSON.parse(input) as object)
    return values.some((value) => !text.includes(toText(value)))
  } catch {
    return !text.includes(input)
  }
}

/** Returns a value as text; the arguments of a command are joined with spaces. */
const toText = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.map(toText).join(' ') : JSON.stringify(value)
