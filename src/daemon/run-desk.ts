import { Refusal } from '#interns/refusal.ts'
import type { EndReason } from '#interns/run.ts'
import type { InternHealth, StartTurn } from '#interns/runs.ts'
import { ProtocolBroken } from './acp/connection.ts'
import type { Launch } from './acp/launch.ts'
import { hostAgent } from './agent-host.ts'
import { watchDeadlines } from './deadlines.ts'
import type { AgentSettings, Limits } from './limits.ts'
import { createRun, type LiveRun } from './live-run.ts'
import type { Log } from './log.ts'
import { holdBack } from './pressure.ts'
import type { Session } from './session.ts'
import { createSessions } from './sessions.ts'
import type { Store } from './store.ts'
import { failRun, playTurn } from './turn.ts'

export type RunDeskDeps = {
  launch: Launch
  store: Store
  log: Log
  limits: Limits
  modes: AgentSettings['modes']
  workspace: string
  /** Must not jump: deadlines are read from it. */
  now: () => number
  newId: () => string
}

export type RunDesk = {
  /** Begins a run, which takes the turn lock of its session. Throws a `Refusal` when another has it. */
  begin(turn: StartTurn): LiveRun
  /** The run in progress that asked a question. */
  runThatAsked(questionId: string): LiveRun | undefined
  /** The id of the question that a session waits with, if it does. */
  questionOf(sessionId: string): string | undefined
  cancel(runId: string, message: string): boolean
  figures(): Omit<InternHealth, 'contract' | 'startedAt'>
  stop(): Promise<void>
}

/** Where the runs in progress are kept, and where each meets its session and the agent. */
export function runDesk(deps: RunDeskDeps): RunDesk {
  const { store, limits, now, newId } = deps
  const live = new Map<string, LiveRun>()
  const askedBy = new Map<string, LiveRun>()
  let stopping = false
  const host = hostAgent({
    launch: deps.launch,
    log: deps.log,
    idleMs: limits.agentIdleMs,
    gone: (agent, why) => {
      for (const run of live.values()) if (run.session.opened?.agent === agent) failRun(run, why)
      sessions.lost(agent)
    },
  })
  const sessions = createSessions({ ...deps, host, maxIdleSessions: limits.maxIdleSessions })
  const deadlines = watchDeadlines(now, () => live.values())
  const waiting = () => [...live.values()].filter((run) => run.state().at === 'waiting').length

  const open = (session: Session, mode: StartTurn['mode']): LiveRun => {
    const run = createRun(
      {
        limits,
        now,
        pressure: holdBack(
          limits.stalledCallerMs,
          () => session.opened?.agent,
          () => run.cutOff(),
        ),
        canWait: () => waiting() < limits.maxOpenQuestions,
        asking: (_run, question, deadlineAt) => {
          store.forgetQuestions(now() - limits.questionMemoryMs)
          store.saveQuestion(question.id, { sessionId: session.id, runId: run.id, deadlineAt })
          askedBy.set(question.id, run)
        },
        waiting: deadlines.watch,
        ended: over,
      },
      newId(),
      session,
      mode,
    )
    return run
  }

  const begin = (turn: StartTurn): LiveRun => {
    if (stopping) throw new Refusal('stream_severed', 'The intern is being stopped.')
    deadlines.look()
    const session = sessions.find(turn.sessionId ?? newId())
    if (session.run) throw new Refusal('session_busy', whyBusy(live.get(session.run.id)))
    const run = open(session, turn.mode)
    session.run = run
    live.set(run.id, run)
    host.busy(true)
    const before = session.settled
    session.settled = play(run, turn.prompt, before).then(async () => {
      await before
      sessions.rest(session)
      if (live.size === 0) host.busy(false)
    })
    return run
  }

  const play = async (run: LiveRun, prompt: string, before: Promise<unknown>) => {
    const { session, mode } = run
    try {
      await inTime(before, limits.settleMs)
      const { agent, as } = await sessions.open(session)
      if (run.state().at === 'ended') return
      if (as.modes.includes(deps.modes[mode])) await agent.setMode(as.id, deps.modes[mode])
      if (run.state().at === 'ended') return
      const costBefore = session.costUsd
      await playTurn(deps, run, agent, as, prompt)
      if (session.costUsd !== undefined && session.costUsd !== costBefore) store.saveCost(session.id, session.costUsd)
    } catch (error) {
      if (error instanceof Refusal) run.apply({ type: 'turn.failed' }, { refusal: error })
      else failRun(run, error)
    }
  }

  const over = (run: LiveRun, reason: EndReason) => {
    const { session } = run
    if (reason !== 'finished') deps.log('run.ended', { run: run.id, reason })
    live.delete(run.id)
    for (const [questionId, asker] of askedBy) if (asker === run) askedBy.delete(questionId)
    if (session.run === run) session.run = undefined
    if (!session.turnOpen || !session.opened) return
    session.opened.agent.cancel(session.opened.as.id)
    watchStuck(session, session.opened)
  }
  /** An agent that does not end a cancelled turn holds up its session for good: it is ended once nobody needs it. */
  const watchStuck = (session: Session, { agent }: NonNullable<Session['opened']>) => {
    const timer = setTimeout(() => {
      if (!session.turnOpen || session.opened?.agent !== agent) return
      if (live.size > 0) return watchStuck(session, session.opened)
      host.discard(agent, new ProtocolBroken('The agent did not end a turn that was cancelled.'))
    }, limits.settleMs).unref()
    void session.settled.then(() => clearTimeout(timer))
  }

  const cancel = (runId: string, message: string) => {
    const run = live.get(runId)
    run?.apply({ type: 'run.cancelled' }, { message })
    return run !== undefined
  }

  return {
    begin,
    runThatAsked: (questionId) => askedBy.get(questionId),
    questionOf: (sessionId) => {
      const states = live
        .values()
        .filter((run) => run.session.id === sessionId)
        .map((run) => run.state())
      return states.find((state) => state.at === 'waiting')?.question.id
    },
    cancel,
    figures: () => {
      deadlines.look()
      return { agent: host.state(), agentName: host.name(), runs: live.size, waiting: waiting() }
    },
    stop: async () => {
      stopping = true
      for (const runId of live.keys()) cancel(runId, 'The intern was stopped.')
      deadlines.stop()
      await host.stop()
    },
  }
}

/** The agent may still be busy with a turn that its caller has left. */
async function inTime(before: Promise<unknown>, withinMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const busy = new Refusal('session_busy', 'The last turn of this session has not ended yet.')
  const timer = setTimeout(reject, withinMs, busy)
  await Promise.race([before, late]).finally(() => clearTimeout(timer))
}

function whyBusy(run: LiveRun | undefined): string {
  return run?.state().at === 'waiting'
    ? 'This session waits for the answer to a question. Answer it, if only with a cancellation; or begin another session.'
    : 'Another turn is running in this session.'
}
