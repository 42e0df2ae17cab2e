import type { PermissionAnswer } from '#interns/contract/answer.ts'
import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import type { PermissionKind } from '#interns/contract/question.ts'
import type { Action, Decision, Effect } from '#interns/contract/rules/rule.ts'
import { truncateText } from '#platform/text/truncate.ts'
import {
  cancelledPermission,
  chooseAllowingAnswer,
  isAllowing,
  isAmbiguous,
  type PermissionRequest,
} from '../../acp/permissions/permission.ts'
import { toAction, toReportedAction } from '../../acp/tool-calls/action.ts'
import { maxLengths } from '../../transcript/limits.ts'
import type { DaemonTranscripts } from '../../transcript/transcripts.ts'
import type { LiveRun } from '../live-run.ts'
import { createPermissionQuestion } from './pending-question.ts'
import { chooseAnswerByRule, type Decisions, selectOnceOptions } from './rule-decisions.ts'

export type DecisionDeps = {
  now: () => number
  newId: () => string
  transcripts: Pick<DaemonTranscripts, 'recorder'>
  decisions: Decisions
  workspace: string
}
/**
 * A request of an agent. `reportWork` notifies the caller that the run continues without a question. `withdrawal` aborts when the
 * agent no longer needs the decision.
 */
type PermissionCall = { request: PermissionRequest; reportWork: () => void; withdrawal: AbortSignal }

/** The caller is asked, with these options, or the agent gets an answer without a question. */
type Verdict = { type: 'ask'; options: PermissionKind[] } | { type: 'answer'; answer: PermissionAnswer }

/** Decides about an action of an agent, or asks the caller. The decision of a rule is saved before it has an effect. */
export async function decidePermission(
  deps: DecisionDeps,
  run: LiveRun,
  { request, reportWork, withdrawal }: PermissionCall,
): Promise<unknown> {
  if (run.state().at === 'ended') return cancelledPermission
  const action = toAction(request.tool, deps.workspace)
  const decision = findDecision(deps, request, action)
  if (decision) saveDecision(deps, run, request, decision)
  const verdict = decision ? applyRule(decision.effect, request) : decideWithoutRule(request, run.mode)
  if (verdict.type === 'ask') {
    const options = { action: toReportedAction(action), options: verdict.options }
    const question = createPermissionQuestion(deps.newId(), request, options)
    return run.ask(question, withdrawal)
  }
  reportWork()
  run.questions.noteDecision(isAllowing(verdict.answer))
  return request.toOutcome(verdict.answer)
}

/**
 * Returns the decision of the first rule that matches an action. A rule that allows needs exactly one option `allow_once`;
 * otherwise its decision is ignored. It never selects `allow_always`, because the agent would not ask for the next action.
 */
function findDecision(
  { decisions }: DecisionDeps,
  { question }: PermissionRequest,
  action: Action,
): Decision | undefined {
  const decision = decisions.decide(action)
  const canAllow = question.options.includes('allow_once') && !isAmbiguous(question, 'allow_once')
  return decision?.effect === 'allow' && !canAllow ? undefined : decision
}

function applyRule(effect: Effect, { question: { options } }: PermissionRequest): Verdict {
  if (effect === 'ask') return { type: 'ask', options: selectOnceOptions(options) }
  return { type: 'answer', answer: chooseAnswerByRule(effect, options) }
}

/**
 * Asks in `manual`, or if several options allow the action. Otherwise allows the action. A request that is only for rules is
 * allowed in both modes: the agent asks no person about such an action.
 */
function decideWithoutRule({ question, isForRulesOnly }: PermissionRequest, mode: ApprovalMode): Verdict {
  const answer = chooseAllowingAnswer(question.options)
  const mustAsk = mode === 'manual' || isAmbiguous(question, answer)
  return mustAsk && !isForRulesOnly ? { type: 'ask', options: question.options } : { type: 'answer', answer }
}

function saveDecision(deps: DecisionDeps, run: LiveRun, { question }: PermissionRequest, decision: Decision): void {
  const { operation, detail } = question
  const isTooLong = detail !== null && detail.length > maxLengths.detail
  const shortened = isTooLong ? `${truncateText(detail, maxLengths.detail)}…` : detail
  const { session, id: runId } = run
  deps.decisions.save({ sessionId: session.id, runId, at: deps.now(), operation, detail: shortened, decision })
  deps.transcripts.recorder(session.id).addDecision(decision, operation, shortened)
  run.write({ type: 'decision.made' })
}
