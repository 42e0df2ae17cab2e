import type { Decision } from '#interns/rules/rule.ts'
import { beginningOf } from '#lib/whole-characters.ts'
import { actionOf } from './acp/action.ts'
import {
  cancelledPermission,
  type PermissionOutcome,
  type PermissionRequest,
  selfDriveAnswer,
} from './acp/permission.ts'
import type { LiveRun } from './live-run.ts'
import { askPermission } from './pending-question.ts'
import { answerByRule, askedByRule, type Decisions } from './rule-decisions.ts'
import type { KeptTranscripts } from './transcript/transcripts.ts'

export type DecisionDeps = {
  now: () => number
  newId: () => string
  transcripts: Pick<KeptTranscripts, 'of'>
  decisions: Decisions
  workspace: string
}
type Asked = { request: PermissionRequest; notice: () => void; withdrawn: AbortSignal }

const longestDetail = 2000

/**
 * Who decides about something that an agent wants to do: a rule, if one does; else in `manual` the caller, in `self-drive`
 * nobody. What a rule decides is written down before the agent hears of it.
 */
export async function decidePermission(deps: DecisionDeps, run: LiveRun, asked: Asked): Promise<unknown> {
  const { request, notice, withdrawn } = asked
  if (run.state().at === 'ended') return cancelledPermission
  const { options } = request.question
  const action = actionOf(request.tool, deps.workspace)
  const found = deps.decisions.judge(action)
  // An agent that only offers to be allowed always is not: it would ask about nothing any more.
  const decision = found?.effect === 'allow' && !options.includes('allow_once') ? undefined : found
  if (decision) keep(deps, run, request, decision)
  if (decision?.effect === 'ask')
    return run.ask(askPermission(deps.newId(), request, { action, options: askedByRule(options) }), withdrawn)
  const settled = decision && byRule(run, request, decision.effect)
  if (!settled && run.mode === 'manual' && !request.onlyJudged)
    return run.ask(askPermission(deps.newId(), request, { action }), withdrawn)
  notice()
  return settled ?? request.outcome(selfDriveAnswer(options))
}

function byRule(run: LiveRun, request: PermissionRequest, effect: 'allow' | 'deny'): PermissionOutcome {
  if (effect === 'deny') run.refusedByRule()
  return request.outcome(answerByRule(effect, request.question.options))
}

function keep(deps: DecisionDeps, run: LiveRun, { question }: PermissionRequest, decision: Decision): void {
  const { operation, detail } = question
  const cut = detail && detail.length > longestDetail ? `${beginningOf(detail, longestDetail)}…` : detail
  const { session, id: runId } = run
  const about = { operation: operation?.slice(0, 200) ?? null, detail: cut }
  deps.decisions.keep({ sessionId: session.id, runId, at: deps.now(), ...about, decision })
  deps.transcripts.of(session.id).decided(decision, about.operation, cut)
  run.write({ type: 'decision.made' })
}
