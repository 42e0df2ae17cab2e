import { setTimeout as sleep } from 'node:timers/promises'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { Usage } from '#chat/usage.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { createPairJoiner } from '#platform/text/surrogate-pairs.ts'
import { truncateText } from '#platform/text/truncate.ts'
import type { Agent, SessionListener } from '../../acp/agent.ts'
import type { AgentSession } from '../../acp/agent-session.ts'
import { cancelledPermission, readPermission } from '../../acp/permissions/permission.ts'
import { RpcError, readProperty, rpcCodes } from '../../acp/rpc-message.ts'
import type { AgentUpdate } from '../../acp/update.ts'
import { costOfTurn, readUsage } from '../../acp/usage.ts'
import type { DaemonLog } from '../../log.ts'
import type { Limits } from '../../settings/limits.ts'
import type { DaemonTranscripts } from '../../transcript/transcripts.ts'
import type { LiveRun } from '../live-run.ts'
import { cancelledForm, formQuestion, formQuestionOfPermission } from '../questions/pending-question.ts'
import { type DecisionDeps, decidePermission } from '../questions/permission-decision.ts'
import { createToolCallCache } from './tool-calls.ts'
import { turnFailureOf } from './turn-failure.ts'

/** The least time between two `work.noticed` events. */
const noticeEveryMs = 1000

type TurnDeps = DecisionDeps & {
  elapsed: () => number
  log: DaemonLog
  transcripts: Pick<DaemonTranscripts, 'recorder' | 'reopen'>
  limits: Pick<Limits, 'lateOutputMs'>
}

/** Sends the prompt of a run to an agent, and every update to the run. Resolves when the agent is done. */
export async function runAgentTurn(
  deps: TurnDeps,
  run: LiveRun,
  agent: Agent,
  agentSession: AgentSession,
  prompt: ContentBlock[],
): Promise<void> {
  const { session } = run
  const costBefore = session.costUsd ?? 0
  /** Undefined until the agent reports a cost during this turn. */
  let reportedUsd: number | undefined
  const turnCostUsd = () => costOfTurn(costBefore, reportedUsd)
  const onCost = (totalUsd: number) => {
    session.costUsd = totalUsd
    reportedUsd = totalUsd
    run.checkCost(turnCostUsd())
  }
  agent.listen(agentSession.id, createListener(deps, run, onCost))
  try {
    session.isTurnOpen = true
    run.startClock()
    const response = await agent.prompt(agentSession.id, prompt).finally(() => {
      session.isTurnOpen = false
    })
    // An agent for one prompt ends now.
    run.needsAgent = false
    if (!agent.hasNoLateUpdates && run.state().at !== 'ended') await sleep(deps.limits.lateOutputMs)
    const report = { model: session.model, usage: readUsage(response, turnCostUsd()) }
    const stopReason = readProperty(response, 'stopReason')
    const failure = failureOfStop(stopReason)
    // Before any output, this refuses the whole turn.
    if (failure !== undefined)
      return run.apply({ type: 'turn.failed' }, { ...report, message: failure, retryable: false })
    run.apply({ type: 'turn.started' })
    const note = limitNotes[String(stopReason)]
    if (note !== undefined && run.state().at !== 'ended') {
      deps.transcripts.recorder(session.id).addText('reasoning', note)
      run.write({ type: 'reasoning.added', text: note })
    }
    const isCancelled = stopReason === 'cancelled'
    // Some agents end the turn as cancelled after a declined permission. To the caller it is finished.
    if (!isCancelled || run.questions.wasLastRequestDeclined) run.apply({ type: 'turn.finished' }, report)
    else run.apply({ type: 'run.cancelled' }, { ...report, message: 'The intern cancelled the turn.' })
  } catch (error) {
    if (isPromptRefused(error, prompt)) return run.apply({ type: 'turn.failed' }, promptRefusal(error as RpcError))
    failRun(run, error, readUsage(readProperty(error, 'data'), turnCostUsd()))
  }
}

/** The notes for a caller whose turn ended at a limit of the agent. */
const limitNotes: Record<string, string> = {
  max_tokens: '\n\n[The agent reached its limit of tokens. The reply can be incomplete.]',
  max_turn_requests:
    '\n\n[The agent reached its limit of model requests. The task can be incomplete: send another prompt.]',
}

const successfulStops: readonly unknown[] = [
  'end_turn',
  'max_tokens',
  'max_turn_requests',
  'cancelled',
  undefined,
  null,
]

/** The message for a turn that its agent did not complete; undefined for a completed or cancelled one. */
function failureOfStop(stopReason: unknown): string | undefined {
  if (successfulStops.includes(stopReason)) return undefined
  if (stopReason === 'refusal')
    return 'The agent refused to continue (stop reason "refusal"). Change the prompt, or start another session.'
  return `The agent did not complete the turn (stop reason ${truncateText(JSON.stringify(stopReason), 100)}).`
}

/** An agent can find out only during the prompt that its model does not support an attachment. */
const isPromptRefused = (error: unknown, prompt: ContentBlock[]) =>
  error instanceof RpcError && error.code === rpcCodes.invalidParams && prompt.some(({ type }) => type !== 'text')

function promptRefusal({ message }: RpcError) {
  const reason = `Invalid request: the agent does not accept the attachment: ${message}`
  return { refusal: new Refusal('bad_request', reason), message: reason, retryable: false }
}

/** Ends a run with the failure that its caller sees: that the agent died if its connection broke, otherwise the error. */
export function failRun(run: LiveRun, error: unknown, usage: Usage | null = null): void {
  const failure = turnFailureOf(error)
  run.apply(failure.isSevered ? { type: 'agent.died' } : { type: 'turn.failed' }, { ...failure, usage })
}

/**
 * Creates the listener that applies everything the agent sends about its session to the run.
 * @param onCost receives the total cost of the session, in USD.
 */
function createListener(deps: TurnDeps, run: LiveRun, onCost: (totalUsd: number) => void): SessionListener {
  const { newId, transcripts } = deps
  const tools = createToolCallCache()
  const recorder = transcripts.recorder(run.session.id)
  const reportWork = createWorkReporter(run, deps.elapsed)
  // Agents that count UTF-16 units split characters between two updates.
  const join = { message: createPairJoiner(), reasoning: createPairJoiner() }
  const writeText = (kind: 'message' | 'reasoning', piece: string) => {
    const text = join[kind](piece)
    if (!text) return
    if (run.state().at === 'ended') return transcripts.reopen(recorder).addLateText(run.id, kind, text)
    recorder.addText(kind, text)
    run.write({ type: kind === 'message' ? 'text.added' : 'reasoning.added', text })
  }
  const recordActivity = (update: Extract<AgentUpdate, { type: 'tool' | 'plan' }>) => {
    if (update.type === 'plan') return recorder.setPlan(update.steps)
    if (update.unavailable) deps.log('mcp.unavailable', { session: run.session.id, ...update.unavailable })
    return recorder.updateTool(update.id, tools.add(update.id, update.call), update.output)
  }
  const onActivity = (update: Extract<AgentUpdate, { type: 'tool' | 'plan' | 'other' }>) => {
    if (run.state().at === 'ended') {
      // Work in the background of the agent. The next run of the session can have started meanwhile.
      if (update.type === 'tool' && transcripts.reopen(recorder) === recorder) recordActivity(update)
      return
    }
    const activity = update.type === 'other' ? undefined : recordActivity(update)
    if (activity && run.reply.includesActivity) run.write({ type: 'activity.noticed', activity })
    else reportWork()
  }

  return {
    onUpdate: (update) => {
      if (update.type === 'text') writeText('message', update.text)
      else if (update.type === 'reasoning') writeText('reasoning', update.text)
      else if (update.type === 'model') run.session.model = update.model
      else if (update.type === 'cost') onCost(update.totalUsd)
      else if (update.type !== 'ignored') onActivity(update)
    },
    permission: async (params, withdrawn) => {
      const question = formQuestionOfPermission(newId(), params)
      if (question) return askOrFail(run, cancelledPermission, () => run.ask(question, withdrawn))
      return askOrFail(run, cancelledPermission, async () =>
        decidePermission(deps, run, { request: readPermission(params, tools.get), reportWork, withdrawn }),
      )
    },
    elicitation: async (params, withdrawn) => {
      const question = formQuestion(newId(), params)
      return question ? askOrFail(run, cancelledForm, () => run.ask(question, withdrawn)) : cancelledForm
    },
  }
}

/** Returns a function that reports to the caller that the run continues, at most once in `noticeEveryMs`. */
function createWorkReporter(run: LiveRun, elapsed: () => number): () => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return () => {
    run.apply({ type: 'turn.started' })
    if (run.state().at !== 'running' || elapsed() - reportedAt < noticeEveryMs) return
    reportedAt = elapsed()
    run.write({ type: 'work.noticed' })
  }
}

/** Ends the run if a question cannot be asked. The agent then receives `cancelledReply`. */
async function askOrFail(run: LiveRun, cancelledReply: unknown, ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    failRun(run, error)
    return cancelledReply
  }
}
