import type { InternHealth, StartTurn } from '#interns/contract/daemon-api.ts'
import type { InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { EndReason } from '#interns/contract/run.ts'
import type { BudgetLimitName } from '#interns/contract/turn-budget.ts'
import type { Agent } from '../acp/agent.ts'
import type { Launch } from '../acp/launch.ts'
import type { DaemonLog } from '../log.ts'
import type { AgentSettings, Limits } from '../settings/limits.ts'
import type { DaemonStore } from '../store/store.ts'
import type { DaemonTranscripts } from '../transcript/transcripts.ts'
import { AgentHost } from './agent-host.ts'
import { DeadlineTimer } from './limits/deadline-timer.ts'
import { LiveRun } from './live-run.ts'
import type { Decisions } from './questions/rule-decisions.ts'
import { AgentBackpressure } from './reply/backpressure.ts'
import { RunPersistence } from './run-persistence.ts'
import type { OpenedSession, Session } from './sessions/session.ts'
import { Sessions } from './sessions/sessions.ts'
import { playTurn } from './turn/play-turn.ts'

export type RunRegistryDeps = {
  launch: Launch
  store: DaemonStore
  transcripts: DaemonTranscripts
  decisions: Decisions
  log: DaemonLog
  limits: Limits
  modes: AgentSettings['modes']
  /** Whether to start the agent before the first prompt. */
  startsAgent: boolean
  workspace: string
  files: Pick<InternFiles, 'write'>
  /** The system time, for instants that leave the daemon. */
  now: () => number
  /** A monotonic clock, for deadlines and durations. It does not jump when the system time is set. */
  monotonicNow: () => number
  newId: () => string
}

/** The runs in progress, with their sessions and the agent. */
export class RunRegistry {
  readonly #deps: RunRegistryDeps
  readonly #runs = new Map<string, LiveRun>()
  readonly #persistence: RunPersistence
  readonly #host: AgentHost
  readonly #sessions: Sessions
  readonly #deadlines: DeadlineTimer
  #isStopping = false
  #isRefusingRuns = false
  /** When the last run ended, by the monotonic clock. */
  #idleSince: number

  constructor(deps: RunRegistryDeps) {
    const { launch, log, limits, monotonicNow, startsAgent } = deps
    this.#deps = deps
    this.#persistence = new RunPersistence(deps)
    this.#idleSince = monotonicNow()
    const onEnd = (agent: Agent, why: Error) => this.#agentEnded(agent, why)
    this.#host = new AgentHost({ launch, log, idleMs: limits.agentIdleMs, onEnd })
    this.#sessions = new Sessions({ ...deps, host: this.#host, maxIdleSessions: limits.maxIdleSessions })
    this.#deadlines = new DeadlineTimer(monotonicNow, () => this.#runs.values())
    if (startsAgent) void this.#host.warm()
  }

  /** Starts a run, which takes the lock of its session. @throws Refusal if another run has the lock. */
  start(turn: StartTurn): LiveRun {
    if (this.#isRefusingRuns) throw new Refusal('intern_asleep', 'The intern has gone to sleep.')
    if (this.#isStopping) throw new Refusal('stream_severed', 'The intern is being stopped.')
    this.#deadlines.check()
    const session = this.#sessions.find(turn.sessionId ?? this.#deps.newId())
    if (session.run) throw new Refusal('session_busy', describeBusySession(this.#runs.get(session.run.id)))
    if (turn.turnsBefore !== undefined && this.#deps.transcripts.turns(session.id) !== turn.turnsBefore)
      throw new Refusal('session_moved', 'Another turn of this session has started meanwhile.')
    if (turn.background && this.#countBackground() >= this.#deps.limits.maxBackgroundRuns)
      throw new Refusal('questions_full', 'The intern has reached its limit of background runs. Try again later.')
    const run = this.#newRun(session, turn)
    for (const other of this.#runs.values()) {
      other.markConcurrent()
      run.markConcurrent()
    }
    session.run = run
    this.#sessions.add(session)
    this.#runs.set(run.id, run)
    this.#host.setBusy(true)
    const previousTurn = session.settled
    session.settled = playTurn({ ...this.#deps, sessions: this.#sessions }, run, turn, previousTurn).then(async () => {
      // The run can have ended without waiting any longer for the previous one.
      await previousTurn
      this.#sessions.noteRunEnd(session)
      if (this.#runs.size > 0) return
      this.#idleSince = this.#deps.monotonicNow()
      this.#host.setBusy(false)
    })
    return run
  }

  /** Returns the run in progress that asked a question; undefined if there is none. */
  runOfQuestion(questionId: string): LiveRun | undefined {
    return [...this.#runs.values()].find((run) => run.questions.hasQuestion(questionId))
  }

  /** The id of the question that a session waits for, if any. */
  questionOf(sessionId: string): string | undefined {
    for (const run of this.#runs.values()) {
      const state = run.state()
      if (run.session.id === sessionId && state.at === 'waiting') return state.question.id
    }
    return undefined
  }

  /** Cancels a run for a user. @returns whether the run was in progress. */
  cancel(runId: string): boolean {
    const run = this.#runs.get(runId)
    run?.cancel('The run was cancelled.')
    return run !== undefined
  }

  /** Ends a run whose cost, as the server meters it, reached its budget. @returns whether the run was in progress. */
  endOverBudget(runId: string, limitName: BudgetLimitName, neededUsd?: number): boolean {
    const run = this.#runs.get(runId)
    run?.endOverBudget(limitName, neededUsd)
    return run !== undefined
  }

  /** Refuses all further runs if no run was in progress for `idleMs`, and returns 0. Otherwise returns the delay to the next check. */
  refuseRunsIfIdle(idleMs: number): number {
    const { monotonicNow, transcripts } = this.#deps
    this.#deadlines.check()
    if (this.#runs.size > 0 || transcripts.hasFollowers()) return idleMs
    const remainingMs = this.#idleSince + idleMs - monotonicNow()
    this.#isRefusingRuns ||= remainingMs <= 0
    return this.#isRefusingRuns ? 0 : remainingMs
  }

  health(): Omit<InternHealth, 'contract' | 'startedAt'> {
    this.#deadlines.check()
    const { state, name } = this.#host
    return {
      agent: state,
      agentName: name,
      runs: this.#runs.size,
      waiting: this.#countWaiting(),
      resting: this.#isRefusingRuns,
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    for (const run of this.#runs.values()) run.apply({ type: 'run.cancelled' }, { message: 'The intern was stopped.' })
    this.#deadlines.stop()
    await this.#host.stop()
  }

  #newRun(session: Session, turn: StartTurn): LiveRun {
    const { limits, now, monotonicNow, newId } = this.#deps
    const agent = () => session.openedWith?.agent
    const run: LiveRun = new LiveRun(
      {
        limits,
        now,
        monotonicNow,
        backpressure: new AgentBackpressure(limits.stalledCallerMs, agent, () => run.reply.dropSlowCaller()),
        canWait: () => this.#countWaiting() < limits.maxOpenQuestions,
        persistence: this.#persistence,
        onDeadlineChanged: () => this.#deadlines.schedule(),
        onEnded: (run, reason) => this.#runEnded(run, reason),
      },
      newId(),
      session,
      turn,
    )
    return run
  }

  #runEnded(run: LiveRun, reason: EndReason): void {
    const { session } = run
    if (reason !== 'finished') this.#deps.log('run.ended', { run: run.id, reason })
    this.#runs.delete(run.id)
    // The agent can need time to end the turn. Idle time counts from the end of the run.
    this.#idleSince = this.#deps.monotonicNow()
    if (session.run === run) session.run = undefined
    if (!session.isTurnOpen || !session.openedWith) return
    session.openedWith.agent.cancel(session.openedWith.agentSession.id)
    this.#closeIfStuck(session, session.openedWith)
  }

  /**
   * An agent that does not end a cancelled turn blocks its session forever, so it is closed when no other run uses it.
   * Runs that wait for the session do not count: otherwise repeated attempts would keep the agent forever.
   */
  #closeIfStuck(session: Session, { agent }: OpenedSession): void {
    const timer = setTimeout(() => {
      if (!session.isTurnOpen || session.openedWith?.agent !== agent) return
      if (this.#runsWithAgent().length > 0) return this.#closeIfStuck(session, session.openedWith)
      agent.close(new Error('The agent did not end a turn that was cancelled.'))
    }, this.#deps.limits.settleMs).unref()
    void session.settled.then(() => clearTimeout(timer))
  }

  #agentEnded(agent: Agent, why: Error): void {
    for (const run of this.#runsWithAgent()) if (run.session.openedWith?.agent === agent) run.fail(why)
    this.#sessions.forgetAgent(agent)
  }

  /** The runs that need the agent. */
  #runsWithAgent(): LiveRun[] {
    return [...this.#runs.values()].filter((run) => run.needsAgent)
  }

  #countBackground(): number {
    return [...this.#runs.values()].filter((run) => run.reply.isInBackground).length
  }

  #countWaiting(): number {
    return [...this.#runs.values()].filter((run) => run.state().at === 'waiting').length
  }
}

function describeBusySession(run: LiveRun | undefined): string {
  return run?.state().at === 'waiting'
    ? 'This session waits for the answer to a question. Answer or cancel the question, or start another session.'
    : 'Another turn is running in this session.'
}
