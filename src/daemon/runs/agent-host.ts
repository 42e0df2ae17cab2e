import { Refusal } from '#interns/contract/refusal.ts'
import type { Agent } from '../acp/agent.ts'
import type { Launch, LaunchedAgent } from '../acp/launch.ts'
import type { DaemonLog } from '../log.ts'

export type AgentHost = {
  /** Returns the running agent, or starts it. Rejects if it does not start. */
  use(): Promise<Agent>
  /** Starts the agent before the first prompt. A failure is logged, and the prompt starts the agent again. */
  warm(): Promise<void>
  state(): 'stopped' | 'starting' | 'running'
  name(): string | null
  /** Notes whether the agent has work. An agent without work is stopped after `idleMs`. */
  setBusy(isBusy: boolean): void
  /** Closes an agent that can no longer be used. Its runs fail as after any other end. */
  discard(agent: Agent, reason: Error): void
  stop(): Promise<void>
}

type AgentHostDeps = { launch: Launch; log: DaemonLog; idleMs: number; onEnd: (agent: Agent, reason: Error) => void }

/** Keeps one agent running while it is needed: from the first prompt until it has been idle, and again after it dies. */
export function hostAgent({ launch, log, idleMs, onEnd }: AgentHostDeps): AgentHost {
  let starting: Promise<LaunchedAgent> | undefined
  let running: LaunchedAgent | undefined
  let name: string | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let isBusy = false

  const start = async () => {
    const startedAt = performance.now()
    const launched = await launch()
    running = launched
    name = launched.agent.name
    log('agent.started', { name, ms: Math.round(performance.now() - startedAt) })
    void launched.agent.whenClosed.then((reason) => {
      if (running === launched) running = undefined
      log('agent.ended', { why: reason.message })
      onEnd(launched.agent, reason)
    })
    return launched
  }
  const use = async () => {
    if (running) return running.agent
    starting ??= start().finally(() => {
      starting = undefined
    })
    return (await starting).agent
  }
  const stop = async () => {
    clearTimeout(idleTimer)
    const stopped = running ?? (await starting?.catch(() => undefined))
    running = undefined
    if (!stopped) return
    // Releases the agent's sessions before the agent ends, so that a turn that starts meanwhile uses the next agent.
    onEnd(stopped.agent, new Refusal('stream_severed', 'The agent was stopped.'))
    await stopped.stop()
  }

  const setBusy = (isBusyNow: boolean) => {
    isBusy = isBusyNow
    clearTimeout(idleTimer)
    // An agent that cannot restore its sessions would lose them all.
    if (!isBusy && running?.agent.canRestoreSessions) idleTimer = setTimeout(() => void stop(), idleMs).unref()
  }

  return {
    use,
    warm: async () => {
      try {
        await use()
        // Starts the idle timer.
        if (!isBusy) setBusy(false)
      } catch (error) {
        log('agent.not_started', { why: (error as Error).message })
      }
    },
    state: () => (starting ? 'starting' : running ? 'running' : 'stopped'),
    name: () => name,
    setBusy,
    discard: (agent, reason) => agent.close(reason),
    stop,
  }
}
