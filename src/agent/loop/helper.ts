import type { ToolCall } from '../model/model.ts'
import type { TurnDeps } from './loop.ts'
import { runTurn } from './loop.ts'
import { applyEntry, emptySession } from './session.ts'
import type { SessionLog } from './session-store.ts'
import type { TurnEvent } from './turn-event.ts'

/** What only makes sense towards the person, and further helpers. */
const notForHelpers = ['ask_user', 'update_plan', 'delegate']

const mostSteps = 60

const instruction = `You are a helper of that agent. You get one task and nothing of its conversation; you can ask nobody. Do the task with your tools, and end with a report: what you found or did, with the files and lines that matter, and what is left. Nothing else of your work is seen.`

/** Works on a task in a context of its own, with the tools of the turn. @returns its report. */
export async function runHelper(deps: TurnDeps, call: ToolCall, task: string): Promise<string> {
  const own = (id: string) => `${call.id}.${id}`
  const log = ownLog(deps)
  const end = await runTurn(
    {
      ...deps,
      log,
      tools: deps.tools.filter(({ name }) => !notForHelpers.includes(name)),
      systemPrompt: `${deps.systemPrompt}\n\n${instruction}`,
      maxSteps: Math.min(deps.maxSteps, mostSteps),
      contextOf: (helpers) => deps.contextOf({ ...helpers, id: own(helpers.id) }),
      notify: (event) => tell(deps, event, own),
    },
    task,
  )
  const report = log.session.context.findLast((message) => message.role === 'assistant')?.text.trim() || '(no report)'
  return end === 'end_turn' ? report : `${report}\n[It ended early: ${end}.]`
}

/** A helper's work is seen as calls of tools, and counted; its words are for the agent alone. */
async function tell(deps: TurnDeps, event: TurnEvent, own: (id: string) => string): Promise<void> {
  if (event.type === 'text.added' || event.type === 'reasoning.added') return
  if (event.type !== 'usage.counted') return deps.notify('id' in event ? { ...event, id: own(event.id) } : event)
  const { session } = deps.log
  await deps.log.add({ type: 'helper.spent', usage: event.usage, at: deps.now() })
  await deps.notify({ ...event, usedTokens: session.counted?.tokens ?? 0, costUsd: session.costUsd })
}

/** It lives as long as its task: after a crash the agent hears that the call was interrupted. */
function ownLog({ log, now }: TurnDeps): SessionLog {
  const session = emptySession(log.session.id, log.session.cwd, now())
  const nothing = async () => {}
  return { session, add: async (entry) => applyEntry(session, entry), sync: nothing, close: nothing }
}
