import type { Decision } from '#interns/contract/rules/rule.ts'
import { truncateText } from '#platform/text/truncate.ts'
import {
  cancelledPermission,
  chooseAllowingAnswer,
  isAmbiguous,
  type PermissionRequest,
} from '../../acp/permissions/permission.ts'
import { toAction } from '../../acp/tool-calls/action.ts'
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
/** `reportWork` reports to the caller that the run continues. `withdrawal` aborts when the agent no longer needs the decision. */
type PermissionCall = { request: PermissionRequest; reportWork: () => void; withdrawal: AbortSignal }

/**
 * Decides about an action of an agent. If a rule matches, the rule decides. Otherwise the caller decides in `manual`, and the
 * action is allowed in `self-drive`; if several options allow the action, the caller chooses one. The decision of a rule is
 * saved before the agent receives it.
 */
export async function decidePermission(deps: DecisionDeps, run: LiveRun, call: PermissionCall): Promise<unknown> {
  const { request, reportWork, withdrawal } = call
  if (run.state().at === 'ended') return cancelledPermission
  const { options } = request.question
  const action = toAction(request.tool, deps.workspace)
  const ruleDecision = deps.decisions.decide(action)
  // A rule cannot choose between options that allow once. It never allows always: the agent would not ask again.
  const canAllow = options.includes('allow_once') && !isAmbiguous(request.question, 'allow_once')
  const decision = ruleDecision?.effect === 'allow' && !canAllow ? undefined : ruleDecision
  if (decision) saveDecision(deps, run, request, decision)
  if (decision?.effect === 'ask')
    return run.ask(
      createPermissionQuestion(deps.newId(), request, { action, options: selectOnceOptions(options) }),
      withdrawal,
    )
  const ruleAnswer = decision && chooseAnswerByRule(decision.effect, options)
  const allowingAnswer = chooseAllowingAnswer(options)
  const mustAsk = run.mode === 'manual' || isAmbiguous(request.question, allowingAnswer)
  if (!ruleAnswer && mustAsk && !request.isForRulesOnly)
    return run.ask(createPermissionQuestion(deps.newId(), request, { action }), withdrawal)
  reportWork()
  const answer = ruleAnswer ?? allowingAnswer
  run.questions.noteDecision(answer.startsWith('allow'))
  return request.toOutcome(answer)
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
