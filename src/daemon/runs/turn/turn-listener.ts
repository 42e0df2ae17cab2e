import { createPairJoiner } from '#platform/text/surrogate-pairs.ts'
import type { SessionListener } from '../../acp/agent.ts'
import { cancelledPermission, readPermission } from '../../acp/permissions/permission.ts'
import type { AgentUpdate } from '../../acp/update.ts'
import { computeTurnCost } from '../../acp/usage.ts'
import type { DaemonLog } from '../../log.ts'
import type { DaemonTranscripts } from '../../transcript/transcripts.ts'
import type { LiveRun } from '../live-run.ts'
import { cancelledForm, createFormQuestion, createFormQuestionOfPermission } from '../questions/pending-question.ts'
import { type DecisionDeps, decidePermission } from '../questions/permission-decision.ts'
import { ToolCallCache } from './tool-call-cache.ts'

/** The least time between two `work.noticed` events. */
const noticeEveryMs = 1000

export type ListenerDeps = DecisionDeps & {
  monotonicNow: () => number
  log: DaemonLog
  transcripts: Pick<DaemonTranscripts, 'recorder' | 'reopen'>
}

type ActivityUpdate = Extract<AgentUpdate, { type: 'tool' | 'plan' }>

/** Applies everything that an agent sends about its session to a run. */
export class TurnListener implements SessionListener {
  readonly #deps: ListenerDeps
  readonly #run: LiveRun
  readonly #recorder: ReturnType<DaemonTranscripts['recorder']>
  readonly #tools = new ToolCallCache()
  // Agents that count UTF-16 units split characters between two updates.
  readonly #join = { message: createPairJoiner(), reasoning: createPairJoiner() }
  /** The cost of the session before this turn, in USD. */
  readonly #costBefore: number
  /** The cost of the session as the agent reported it during this turn. */
  #reportedUsd: number | undefined
  #workReportedAt = Number.NEGATIVE_INFINITY

  constructor(deps: ListenerDeps, run: LiveRun) {
    this.#deps = deps
    this.#run = run
    this.#recorder = deps.transcripts.recorder(run.session.id)
    this.#costBefore = run.session.costUsd ?? 0
  }

  /** The cost of the turn so far, in USD; undefined until the agent reports one. */
  get costUsd(): number | undefined {
    return computeTurnCost(this.#costBefore, this.#reportedUsd)
  }

  onUpdate(update: AgentUpdate): void {
    if (update.type === 'text') this.addText('message', update.text)
    else if (update.type === 'reasoning') this.addText('reasoning', update.text)
    else if (update.type === 'model') this.#run.session.model = update.model
    else if (update.type === 'cost') this.#setCost(update.totalUsd)
    else if (update.type !== 'ignored') this.#noteActivity(update)
  }

  /** Adds text to the transcript and the reply. */
  addText(kind: 'message' | 'reasoning', piece: string): void {
    const text = this.#join[kind](piece)
    if (!text) return
    if (this.#hasEnded) return this.#deps.transcripts.reopen(this.#recorder).addLateText(this.#run.id, kind, text)
    this.#recorder.addText(kind, text)
    this.#run.write({ type: kind === 'message' ? 'text.added' : 'reasoning.added', text })
  }

  onPermissionRequest(params: unknown, withdrawal: AbortSignal): Promise<unknown> {
    const question = createFormQuestionOfPermission(this.#deps.newId(), params)
    if (question) return this.#askOrFail(cancelledPermission, () => this.#run.ask(question, withdrawal))
    const reportWork = () => this.#reportWork()
    return this.#askOrFail(cancelledPermission, async () => {
      const request = readPermission(params, this.#deps.workspace, (id) => this.#tools.get(id))
      return decidePermission(this.#deps, this.#run, { request, reportWork, withdrawal })
    })
  }

  async onElicitation(params: unknown, withdrawal: AbortSignal): Promise<unknown> {
    const question = createFormQuestion(this.#deps.newId(), params)
    return question ? this.#askOrFail(cancelledForm, () => this.#run.ask(question, withdrawal)) : cancelledForm
  }

  #setCost(totalUsd: number): void {
    this.#run.session.costUsd = totalUsd
    this.#reportedUsd = totalUsd
    this.#run.checkCost(this.costUsd)
  }

  #noteActivity(update: ActivityUpdate | Extract<AgentUpdate, { type: 'other' }>): void {
    if (this.#hasEnded) {
      // Work in the background of the agent. The next run of the session can have started meanwhile.
      const isLatest = update.type === 'tool' && this.#deps.transcripts.reopen(this.#recorder) === this.#recorder
      if (isLatest) this.#recordActivity(update)
      return
    }
    const activity = update.type === 'other' ? undefined : this.#recordActivity(update)
    if (activity && this.#run.reply.includesActivity) this.#run.write({ type: 'activity.noticed', activity })
    else this.#reportWork()
  }

  #recordActivity(update: ActivityUpdate) {
    if (update.type === 'plan') return this.#recorder.setPlan(update.steps)
    const { session } = this.#run
    if (update.unavailableServer)
      this.#deps.log('mcp.unavailable', { session: session.id, ...update.unavailableServer })
    const { id, tool } = this.#tools.add(update.id, update.call)
    return this.#recorder.updateTool(id, tool, update.output)
  }

  get #hasEnded(): boolean {
    return this.#run.state().at === 'ended'
  }

  /** Reports to the caller that the run continues, at most once in `noticeEveryMs`. */
  #reportWork(): void {
    const { monotonicNow } = this.#deps
    this.#run.apply({ type: 'turn.started' })
    if (this.#run.state().at !== 'running' || monotonicNow() - this.#workReportedAt < noticeEveryMs) return
    this.#workReportedAt = monotonicNow()
    this.#run.write({ type: 'work.noticed' })
  }

  /** Ends the run if a question cannot be asked. The agent then receives `cancelledReply`. */
  async #askOrFail(cancelledReply: unknown, ask: () => Promise<unknown>): Promise<unknown> {
    try {
      return await ask()
    } catch (error) {
      this.#run.fail(error)
      return cancelledReply
    }
  }
}
