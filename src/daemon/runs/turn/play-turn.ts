import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import { describeAttachment } from '#interns/contract/attachments.ts'
import type { StartTurn } from '#interns/contract/daemon-api.ts'
import type { InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import type { Agent } from '../../acp/agent.ts'
import type { AgentSession } from '../../acp/agent-session.ts'
import type { DaemonLog } from '../../log.ts'
import type { AgentSettings, Limits } from '../../settings/limits.ts'
import type { DaemonStore } from '../../store/store.ts'
import type { DaemonTranscripts } from '../../transcript/transcripts.ts'
import type { LiveRun } from '../live-run.ts'
import type { DecisionDeps } from '../questions/permission-decision.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createPromptBlocks } from './prompt-blocks.ts'
import { runAgentTurn } from './turn.ts'

type PlayDeps = DecisionDeps & {
  monotonicNow: () => number
  log: DaemonLog
  sessions: Pick<Sessions, 'open'>
  store: Pick<DaemonStore, 'saveCost'>
  transcripts: Pick<DaemonTranscripts, 'recorder' | 'reopen' | 'save'>
  limits: Pick<Limits, 'settleMs' | 'lateOutputMs'>
  modes: AgentSettings['modes']
  files: Pick<InternFiles, 'write'>
}

/**
 * Performs a run: waits for the previous run of the session, saves the prompt, opens the session with the agent, sends the
 * prompt, and waits for the end. A failure ends the run, which reports it. @param previousTurn resolves when the session is free.
 */
export async function playTurn(
  deps: PlayDeps,
  run: LiveRun,
  { prompt, attachments = [], by, background, budget }: StartTurn,
  previousTurn: Promise<unknown>,
): Promise<void> {
  const { session } = run
  const { limits, modes, store, transcripts } = deps
  try {
    await waitForTurn(previousTurn, limits.settleMs)
    run.needsAgent = true
    if (run.state().at === 'ended') return
    const promptInfo = {
      mode: run.mode,
      by: by ?? null,
      ...(background && { background }),
      budget,
    }
    transcripts
      .recorder(session.id)
      .startRun(run.id, [prompt, ...attachments.map(describeAttachment)].join('\n').trim(), promptInfo)
    transcripts.save()
    // A background run has no reader, so it starts without output.
    if (run.reply.isInBackground) run.apply({ type: 'turn.started' })
    const { agent, agentSession } = await deps.sessions.open(session)
    if (run.state().at !== 'ended') await setMode(agent, agentSession, run.mode, modes[run.mode])
    if (run.state().at === 'ended') return
    const costBefore = session.costUsd
    const { workspace, files } = deps
    const blocks = await createPromptBlocks(
      { text: prompt, attachments },
      { capabilities: agent.promptCapabilities, workspace, files },
    )
    if (run.state().at === 'ended') return
    await runAgentTurn(deps, run, agent, agentSession, blocks)
    if (session.costUsd !== undefined && session.costUsd !== costBefore) store.saveCost(session.id, session.costUsd)
  } catch (error) {
    if (error instanceof Refusal)
      run.apply({ type: 'turn.failed' }, { refusal: error, message: error.message, retryable: error.retryable })
    else run.fail(error)
  }
}

/** @throws Refusal if the agent does not offer the mode of its settings: in another mode it could act without asking. */
async function setMode(
  agent: Agent,
  session: AgentSession,
  approvalMode: ApprovalMode,
  configuredMode: string | undefined,
): Promise<void> {
  const mode = configuredMode ?? approvalMode
  if (session.modes.includes(mode)) return void (await agent.setMode(session, mode))
  if (configuredMode === undefined) return
  const offered = session.modes.length > 0 ? `it offers ${session.modes.join(', ')}` : 'it offers no modes'
  throw new Refusal(
    'intern_rejected',
    `The agent does not offer the mode "${mode}" of its settings (modes: ${approvalMode}); ${offered}. Correct the settings of the agent.`,
  )
}

/** Waits for the previous turn. @throws Refusal if it takes too long: the agent can still be busy after the caller of that turn disconnected. */
async function waitForTurn(previousTurn: Promise<unknown>, withinMs: number): Promise<void> {
  if ((await waitAtMost(withinMs, previousTurn, 'late')) === 'late')
    throw new Refusal('session_busy', 'The last turn of this session has not ended yet.')
}
