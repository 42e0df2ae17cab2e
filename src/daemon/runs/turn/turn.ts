import { setTimeout as sleep } from 'node:timers/promises'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { Refusal } from '#interns/contract/refusal.ts'
import { truncateText } from '#platform/text/truncate.ts'
import type { Agent } from '../../acp/agent.ts'
import type { AgentSession } from '../../acp/agent-session.ts'
import { RpcError, readProperty, rpcCodes } from '../../acp/rpc-message.ts'
import { readUsage } from '../../acp/usage.ts'
import type { Limits } from '../../settings/limits.ts'
import type { LiveRun } from '../live-run.ts'
import { type ListenerDeps, TurnListener } from './turn-listener.ts'

type TurnDeps = ListenerDeps & { limits: Pick<Limits, 'lateOutputMs'> }

/** Sends the prompt of a run to an agent, and every update to the run. Resolves when the agent is done. */
export async function runAgentTurn(
  deps: TurnDeps,
  run: LiveRun,
  agent: Agent,
  agentSession: AgentSession,
  prompt: ContentBlock[],
): Promise<void> {
  const { session } = run
  const listener = new TurnListener(deps, run)
  agent.listen(agentSession.id, listener)
  try {
    session.isTurnOpen = true
    run.startClock()
    const response = await agent.prompt(agentSession.id, prompt).finally(() => {
      session.isTurnOpen = false
    })
    // Some agents exit after one prompt. This does not fail the run any more.
    run.needsAgent = false
    if (!agent.hasNoLateUpdates && run.state().at !== 'ended') await sleep(deps.limits.lateOutputMs)
    const report = { model: session.model, usage: readUsage(response, listener.costUsd) }
    const stopReason = readProperty(response, 'stopReason')
    const failure = describeFailedStop(stopReason)
    // Before any output, this refuses the whole turn.
    if (failure !== undefined)
      return run.apply({ type: 'turn.failed' }, { ...report, message: failure, retryable: false })
    run.apply({ type: 'turn.started' })
    const note = limitNotes[String(stopReason)]
    if (note !== undefined && run.state().at !== 'ended') listener.addText('reasoning', note)
    const isCancelled = stopReason === 'cancelled'
    // Some agents end the turn as cancelled after a declined permission. To the caller it is finished.
    if (!isCancelled || run.questions.wasLastRequestDeclined) run.apply({ type: 'turn.finished' }, report)
    else run.apply({ type: 'run.cancelled' }, { ...report, message: 'The intern cancelled the turn.' })
  } catch (error) {
    if (isPromptRefused(error, prompt)) return run.apply({ type: 'turn.failed' }, toPromptRefusal(error as RpcError))
    run.fail(error, readUsage(readProperty(error, 'data'), listener.costUsd))
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
function describeFailedStop(stopReason: unknown): string | undefined {
  if (successfulStops.includes(stopReason)) return undefined
  if (stopReason === 'refusal')
    return 'The agent refused to continue (stop reason "refusal"). Change the prompt, or start another session.'
  return `The agent did not complete the turn (stop reason ${truncateText(JSON.stringify(stopReason), 100)}).`
}

/** Whether an agent refuses an attachment. It can find out only during the prompt that its model does not support one. */
const isPromptRefused = (error: unknown, prompt: ContentBlock[]) =>
  error instanceof RpcError && error.code === rpcCodes.invalidParams && prompt.some(({ type }) => type !== 'text')

function toPromptRefusal({ message }: RpcError) {
  const reason = `Invalid request: the agent does not accept the attachment: ${message}`
  return { refusal: new Refusal('bad_request', reason), message: reason, retryable: false }
}
