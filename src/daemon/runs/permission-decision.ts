import type { Decision } from '#interns/contract/rules/rule.ts'
import { beginningOf } from '#platform/text/whole-characters.ts'
import { actionOf } from '../acp/action.ts'
import {
  cancelledPermission,
  isAmbiguous,
  type PermissionOutcome,
  type PermissionRequest,
  selfDriveAnswer,
} from '../acp/permission.ts'
import type { DaemonTranscripts } from '../transcript/transcripts.ts'
import type { LiveRun } from './live-run.ts'
import { askPermission } from './pending-question.ts'
import { answerByRule, askedByRule, type Decisions } from './rule-decisions.ts'

export type DecisionDeps = {
  now: () => number
  newId: () => string
  transcripts: Pick<DaemonTranscripts, 'of'>
  decisions: Decisions
  workspace: string
}
type Asked = { request: PermissionRequest; notice: () => void; withdrawn: AbortSignal }

const longestDetail = 2000

/**
 * Decides about something that an agent wants to do: by a rule, if one matches; else in `manual` the caller does, and in
 * `self-drive` it is allowed, unless several options allow it: then the caller chooses. What a rule decides is written
 * before the agent gets it.
 */
export async function decidePermission(deps: DecisionDeps, run: LiveRun, asked: Asked): Promise<unknown> {
  const { request, notice, withdrawn } = asked
  if (run.state().at === 'ended') return cancelledPermission
  const { options } = request.question
  const action = actionOf(request.tool, deps.workspace)
  const found = deps.decisions.judge(action)
  // A rule cannot choose between options that allow once. Nor is an agent allowed always that offers nothing else: it would
  // ask about nothing any more.
  const canAllow = options.includes('allow_once') && !isAmbiguous(request.question, 'allow_once')
  const decision = found?.effect === 'allow' && !canAllow ? undefined : found
  if (decision) keep(deps, run, request, decision)
  if (decision?.effect === 'ask')
    return run.ask(askPermission(deps.newId(), request, { action, options: askedByRule(options) }), withdrawn)
  const settled = decision && byRule(run, request, decision.effect)
  const granted = selfDriveAnswer(options)
  const mustChoose = run.mode === 'manual' || isAmbiguous(request.question, granted)
  if (!settled && mustChoose && !request.onlyJudged)
    return run.ask(askPermission(deps.newId(), request, { action }), withdrawn)
  notice()
  return settled ?? request.outcome(granted)
}

function byRule(run: LiveRun, request: PermissionRequest, effect: 'allow' | 'deny'): PermissionOutcome {
  if (effect === 'deny') run.noteRuleRefusal()
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
