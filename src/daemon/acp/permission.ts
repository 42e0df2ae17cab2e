import type { PermissionAnswer } from '#interns/answer.ts'
import { type PermissionKind, type PermissionQuestion, permissionKinds } from '#interns/question.ts'
import { member } from './connection.ts'
import { readToolCall, type ToolCall } from './update.ts'

/** The agent's own names for what was chosen. */
export type PermissionOutcome = { outcome: { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string } }

export type PermissionRequest = {
  question: PermissionQuestion
  outcome(answer: PermissionAnswer): PermissionOutcome
}

export const cancelledPermission: PermissionOutcome = { outcome: { outcome: 'cancelled' } }

/**
 * A request for permission. Several of its options may be of one kind: the caller is offered each kind once, and gets
 * the first option of the kind, which agents list as the narrowest. `earlier` is what was told of the tool call before.
 */
export function readPermission(
  params: unknown,
  earlier: (toolCallId: string) => ToolCall | undefined,
): PermissionRequest {
  const byKind = new Map<PermissionKind, string>()
  const options = member(params, 'options')
  for (const option of Array.isArray(options) ? options : []) {
    const [id, kind] = [member(option, 'optionId'), member(option, 'kind')]
    const known = permissionKinds.find((one) => one === kind)
    if (known && typeof id === 'string' && !byKind.has(known)) byKind.set(known, id)
  }
  return {
    question: { kind: 'permission', ...describe(member(params, 'toolCall'), earlier), options: [...byKind.keys()] },
    outcome: (answer) => {
      const optionId = answer === 'cancel' ? undefined : byKind.get(answer)
      return optionId === undefined ? cancelledPermission : { outcome: { outcome: 'selected', optionId } }
    },
  }
}

/** Consent on the caller's behalf: once if the agent offers that, and never more than it offers. */
export function selfDriveAnswer(options: PermissionKind[]): PermissionAnswer {
  return (
    options.find((option) => option === 'allow_once') ?? options.find((option) => option === 'allow_always') ?? 'cancel'
  )
}

/** Some agents shorten what they show and tell the whole only in the tool call: who consents must see the whole. */
function describe(call: unknown, earlier: (toolCallId: string) => ToolCall | undefined) {
  const id = member(call, 'toolCallId')
  const tool = { ...(typeof id === 'string' ? earlier(id) : undefined), ...readToolCall(call) }
  const title = tool.title && endsShort(tool.title) ? (tool.command ?? tool.title) : tool.title
  const operation = tool.name ?? title ?? tool.command ?? null
  // An agent's remark before the full command is shown too, for example that the command has no sandbox.
  const detail = (tool.command && title?.endsWith(tool.command) ? title : (tool.command ?? title)) ?? null
  return { operation, detail: detail === operation ? null : detail }
}

const endsShort = (title: string) => /(…|\.\.\.)["'`)\]]*$/.test(title)
