import type { InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { EndReason } from '#interns/contract/run.ts'
import type { InternHealth, StartTurn } from '#interns/contract/runs.ts'
import type { BudgetPart } from '#interns/contract/turn-budget.ts'
import type { Agent } from '../acp/agent.ts'
import { ProtocolBroken } from '../acp/connection.ts'
import type { Launch } from '../acp/launch.ts'
import type { DaemonLog } from '../log.ts'
import type { AgentSettings, Limits } from '../settings/limits.ts'
import type { DaemonStore } from '../store/store.ts'
import { answerRecordOf } from '../transcript/answer-record.ts'
import type { DaemonTranscripts } from '../transcript/transcripts.ts'
import { type AgentHost, hostAgent } from './agent-host.ts'
import { createBackpressure } from './backpressure.ts'
import { watchDeadlines } from './deadlines.ts'
import { LiveRun } from './live-run.ts'
import type { PendingQuestion } from './pending-question.ts'
import { playTurn } from './play-turn.ts'
import type { Decisions } from './rule-decisions.ts'
import type { Session } from './session.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { failRun } from './turn.ts'

export type RunRegistryDeps = {
  launch: Launch
  store: DaemonStore
  transcripts: DaemonTranscripts
  decisions: Decisions
  log: DaemonLog
  limits: Limits
  modes: AgentSettings['modes']
  /** Whether the agent is started before the first prompt, which is about to come. */
  startsAgent: boolean
  workspace: string
  files: Pick<InternFiles, 'write'>
  /** Must not jump: deadlines are read from it. */
  now: () => number
  newId: () => string
}

/** The runs in progress, where each meets its session and the agent. */
export class RunRegistry {
  readonly #deps: RunRegistryDeps
  readonly #runs = new Map<string, LiveRun>()
  readonly #runByQuestion = new Map<string, LiveRun>()
  readonly #host: AgentHost
  readonly #sessions: Sessions
  readonly #deadlines: ReturnType<typeof watchDeadlines>
  #isStopping = false
  #isResting = false
  /** Since when nothing goes on. */
  #idleSince: number

  constructor(deps: RunRegistryDeps) {
    const { launch, log, limits, now, startsAgent } = deps
    this.#deps = deps
    this.#idleSince = now()
    const gone = (agent: Agent, why: Error) => this.#agentGone(agent, why)
    this.#host = hostAgent({ launch, log, idleMs: limits.agentIdleMs, gone })
    this.#sessions = createSessions({ ...deps, host: this.#host, maxIdleSessions: limits.maxIdleSessions })
    this.#deadlines = watchDeadlines(now, () => this.#runs.values())
    if (startsAgent) this.#host.warm()
  }

  /** Begins a run, which takes the turn lock of its session. Throws a `Refusal` when another has it. */
  begin(turn: StartTurn): LiveRun {
    if (this.#isResting) throw new Refusal('intern_asleep', 'The intern has gone to sleep.')
    if (this.#isStopping) throw new Refusal('stream_severed', 'The intern is being stopped.')
    this.#deadlines.look()
    const session = this.#sessions.find(turn.sessionId ?? this.#deps.newId())
    if (session.run) throw new Refusal('session_busy', whyBusy(this.#runs.get(session.run.id)))
    if (turn.turnsBefore !== undefined && this.#deps.transcripts.turns(session.id) !== turn.turnsBefore)
      throw new Refusal('session_moved', 'Another turn of this session has begun meanwhile.')
    if (turn.background && this.#countBackground() >= this.#deps.limits.maxBackgroundRuns)
      throw new Refusal('questions_full', 'As many runs as the intern takes go on in the background. Try again later.')
    const run = this.#newRun(session, turn)
    for (const other of this.#runs.values()) {
      other.shares()
      run.shares()
    }
    session.run = run
    this.#sessions.keep(session)
    this.#runs.set(run.id, run)
    this.#host.busy(true)
    const before = session.settled
    session.settled = playTurn({ ...this.#deps, sessions: this.#sessions }, run, turn, before).then(async () => {
      await before
      this.#sessions.rest(session)
      if (this.#runs.size > 0) return
      this.#idleSince = this.#deps.now()
      this.#host.busy(false)
    })
    return run
  }

  /** The run in progress that asked a question. */
  runThatAsked(questionId: string): LiveRun | undefined {
    return this.#runByQuestion.get(questionId)
  }

  /** The id of the question that a session waits with, if it does. */
  questionOf(sessionId: string): string | undefined {
    for (const run of this.#runs.values()) {
      const state = run.state()
      if (run.session.id === sessionId && state.at === 'waiting') return state.question.id
    }
    return undefined
  }

  /** @returns whether there was such a run. */
  cancel(runId: string, message: string): boolean {
    const run = this.#runs.get(runId)
    run?.apply({ type: 'run.cancelled' }, { message })
    return run !== undefined
  }

  /** It has spent its budget by what was metered, which is not for the daemon to know. */
  overBudget(runId: string, part: BudgetPart, neededUsd?: number): boolean {
    const run = this.#runs.get(runId)
    run?.overBudget(part, neededUsd)
    return run !== undefined
  }

  /** @returns 0 where no run has gone on for this time: none begins any more. Else when to ask again, in milliseconds. */
  rest(idleMs: number): number {
    const { now, transcripts } = this.#deps
    this.#deadlines.look()
    if (this.#runs.size > 0 || transcripts.isFollowed()) return idleMs
    const left = this.#idleSince + idleMs - now()
    this.#isResting ||= left <= 0
    return this.#isResting ? 0 : left
  }

  figures(): Omit<InternHealth, 'contract' | 'startedAt'> {
    this.#deadlines.look()
    const { state, name } = this.#host
    return {
      agent: state(),
      agentName: name(),
      runs: this.#runs.size,
      waiting: this.#countWaiting(),
      resting: this.#isResting,
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    for (const runId of this.#runs.keys()) this.cancel(runId, 'The intern was stopped.')
    this.#deadlines.stop()
    await this.#host.stop()
  }

  #newRun(session: Session, turn: StartTurn): LiveRun {
    const { limits, now, newId, transcripts } = this.#deps
    const agent = () => session.opened?.agent
    const run: LiveRun = new LiveRun(
      {
        limits,
        now,
        backpressure: createBackpressure(limits.stalledCallerMs, agent, () => run.cutOff()),
        canWait: () => this.#countWaiting() < limits.maxOpenQuestions,
        asking: (run, asked, deadlineAt) => this.#saveQuestion(run, asked, deadlineAt),
        answered: ({ session }, question, answer, by) =>
          transcripts.of(session.id).answered(question.id, answerRecordOf(question, answer, by)),
        ending: ({ session }, reason, { refusal, message = refusal?.message, model, usage, meteredSince }) => {
          const since = meteredSince !== undefined && { meteredSince }
          const about = { message: message || null, model: model ?? session.model, usage: usage ?? null, ...since }
          transcripts.of(session.id).ended({ reason, ...about })
          transcripts.save()
        },
        timed: this.#deadlines.watch,
        ended: (run, reason) => this.#runEnded(run, reason),
      },
      newId(),
      session,
      turn,
    )
    return run
  }

  #saveQuestion(
    run: LiveRun,
    { question, action }: Pick<PendingQuestion, 'question' | 'action'>,
    deadlineAt: number,
  ): void {
    const { store, now, limits, transcripts } = this.#deps
    const questionId = question.id
    store.forgetQuestions(now() - limits.questionMemoryMs)
    store.saveQuestion(questionId, { sessionId: run.session.id, runId: run.id, deadlineAt })
    transcripts.of(run.session.id).asked(question, deadlineAt, action)
    transcripts.save()
    this.#runByQuestion.set(questionId, run)
  }

  #runEnded(run: LiveRun, reason: EndReason): void {
    const { session } = run
    if (reason !== 'finished') this.#deps.log('run.ended', { run: run.id, reason })
    this.#runs.delete(run.id)
    // Its agent may take a while to end the turn, and the time before the run is not to count.
    this.#idleSince = this.#deps.now()
    for (const [questionId, asker] of this.#runByQuestion) if (asker === run) this.#runByQuestion.delete(questionId)
    if (session.run === run) session.run = undefined
    if (!session.turnOpen || !session.opened) return
    session.opened.agent.cancel(session.opened.as.id)
    this.#watchStuck(session, session.opened)
  }

  /**
   * An agent that does not end a cancelled turn holds up its session for good: it is ended once nobody needs it. Turns that
   * wait for that one do not: else whoever tries again and again would never get one.
   */
  #watchStuck(session: Session, { agent }: NonNullable<Session['opened']>): void {
    const timer = setTimeout(() => {
      if (!session.turnOpen || session.opened?.agent !== agent) return
      if (this.#users().length > 0) return this.#watchStuck(session, session.opened)
      this.#host.discard(agent, new ProtocolBroken('The agent did not end a turn that was cancelled.'))
    }, this.#deps.limits.settleMs).unref()
    void session.settled.then(() => clearTimeout(timer))
  }

  #agentGone(agent: Agent, why: Error): void {
    for (const run of this.#users()) if (run.session.opened?.agent === agent) failRun(run, why)
    this.#sessions.lost(agent)
  }

  /** The runs that need the agent. */
  #users(): LiveRun[] {
    return [...this.#runs.values()].filter((run) => run.needsAgent)
  }

  #countBackground(): number {
    return [...this.#runs.values()].filter((run) => run.isInBackground).length
  }

  #countWaiting(): number {
    return [...this.#runs.values()].filter((run) => run.state().at === 'waiting').length
  }
}

function whyBusy(run: LiveRun | undefined): string {
  return run?.state().at === 'waiting'
    ? 'This session waits for the answer to a question. Answer it, if only with a cancellation; or begin another session.'
    : 'Another turn is running in this session.'
}
