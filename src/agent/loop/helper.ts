import type { ToolCall } from '../model/model.ts'
import type { AgentEvent } from './agent-event.ts'
import type { TurnDeps } from './loop.ts'
import { runTurn } from './loop.ts'
import { applyEntry, createSession } from './session/session.ts'
import type { SessionLog } from './session/session-store.ts'

/** The tools that helpers do not have: questions to the user, the plan that the user sees, and the start of helpers. */
const excludedTools = ['ask_user', 'update_plan', 'delegate']

/** A helper does a part of the task, so it gets fewer steps than a turn. */
const maxSteps = 60

const instruction = `You are a helper of that agent. You get one task and do not see the agent's conversation; you cannot ask questions. Do the task with your tools, and end with a report: what you found or did, with the relevant files and lines, and what remains. Only the report is returned.`

/**
 * Runs a helper: a second agent loop that works on one task of a turn. It starts when the model calls the tool `delegate`. It
 * has the tools of the turn and an empty context, so that the context of the session stays small. @returns the report of the
 * helper.
 */
export async function runHelper(deps: TurnDeps, call: ToolCall, task: string): Promise<string> {
  // Two helpers can call tools with the same id, so each id gets the id of the call that started the helper as a prefix.
  const prefixId = (id: string) => `${call.id}.${id}`
  const log = createMemoryLog(deps)
  const end = await runTurn(
    {
      ...deps,
      log,
      tools: deps.tools.filter(({ name }) => !excludedTools.includes(name)),
      systemPrompt: `${deps.systemPrompt}\n\n${instruction}`,
      maxSteps: Math.min(deps.maxSteps, maxSteps),
      toolContextOf: (helperCall) => deps.toolContextOf({ ...helperCall, id: prefixId(helperCall.id) }),
      notify: (event) => forwardEvent(deps, event, prefixId),
    },
    task,
  )
  const report = log.session.context.findLast((message) => message.role === 'assistant')?.text.trim() || '(no report)'
  return end === 'end_turn' ? report : `${report}\n[It ended early: ${end}.]`
}

/** Shows the tool calls of a helper in the session and counts its usage. Its texts are not shown. */
async function forwardEvent(deps: TurnDeps, event: AgentEvent, prefixId: (id: string) => string): Promise<void> {
  if (event.type === 'text.added' || event.type === 'reasoning.added') return
  if (event.type !== 'usage.counted') return deps.notify('id' in event ? { ...event, id: prefixId(event.id) } : event)
  const { session } = deps.log
  await deps.log.add({ type: 'helper.spent', usage: event.usage, at: deps.now() })
  // The event has the context size and the cost of the helper's log. Clients show those of the session.
  await deps.notify({ ...event, contextTokens: session.contextCount?.tokens ?? 0, costUsd: session.costUsd })
}

/**
 * Creates the log of a helper, in memory only: a helper is not resumed. After a crash, the log of the session reports the call that
 * started the helper as interrupted.
 */
function createMemoryLog({ log, now }: TurnDeps): SessionLog {
  const session = createSession(log.session.id, log.session.cwd, now())
  const doNothing = async () => {}
  return { session, add: async (entry) => applyEntry(session, entry), sync: doNothing, close: doNothing }
}
