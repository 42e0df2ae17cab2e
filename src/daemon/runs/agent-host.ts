import type { Agent } from '../acp/agent.ts'
import { ConnectionLost } from '../acp/connection.ts'
import type { Launch, Launched } from '../acp/launch.ts'
import type { DaemonLog } from '../log.ts'

export type AgentHost = {
  /** The running agent, started when there is none. Rejects when it does not start. */
  use(): Promise<Agent>
  /** Starts it for a prompt that is about to come. One that cannot be started is told to that prompt, which tries again. */
  warm(): void
  state(): 'stopped' | 'starting' | 'running'
  name(): string | null
  /** Tells whether the agent has anything to do. Once it has had nothing for long enough, it is stopped. */
  busy(yes: boolean): void
  /** Ends an agent that can no longer be used; its runs hear of it as of any other end. */
  discard(agent: Agent, why: Error): void
  stop(): Promise<void>
}

type AgentHostDeps = { launch: Launch; log: DaemonLog; idleMs: number; gone: (agent: Agent, why: Error) => void }

/** Keeps one agent running while it is needed: from the first prompt until it has been idle, and again after it dies. */
export function hostAgent({ launch, log, idleMs, gone }: AgentHostDeps): AgentHost {
  let starting: Promise<Launched> | undefined
  let running: Launched | undefined
  let name: string | null = null
  let idle: NodeJS.Timeout | undefined
  let isBusy = false

  const start = async () => {
    const startedAt = performance.now()
    const launched = await launch()
    running = launched
    name = launched.agent.name
    log('agent.started', { name, ms: Math.round(performance.now() - startedAt) })
    void launched.agent.closed.then((why) => {
      if (running === launched) running = undefined
      log('agent.ended', { why: why.message })
      gone(launched.agent, why)
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
    clearTimeout(idle)
    const last = running ?? (await starting?.catch(() => undefined))
    running = undefined
    if (!last) return
    // Its sessions are let go before it ends, so that a turn that comes meanwhile waits for the next agent.
    gone(last.agent, new ConnectionLost('The agent was stopped.'))
    await last.stop()
  }

  const busy = (yes: boolean) => {
    isBusy = yes
    clearTimeout(idle)
    // An agent that cannot take up its sessions again would forget them all.
    if (!yes && running?.agent.remembers) idle = setTimeout(() => void stop(), idleMs).unref()
  }

  return {
    use,
    warm: () =>
      void use().then(
        () => isBusy || busy(false),
        (why: Error) => log('agent.not_started', { why: why.message }),
      ),
    state: () => (starting ? 'starting' : running ? 'running' : 'stopped'),
    name: () => name,
    busy,
    discard: (agent, why) => agent.close(why),
    stop,
  }
}
