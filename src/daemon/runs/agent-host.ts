import { Refusal } from '#interns/contract/refusal.ts'
import type { Agent } from '../acp/agent.ts'
import type { Launch, LaunchedAgent } from '../acp/launch.ts'
import type { DaemonLog } from '../log.ts'

type AgentHostDeps = { launch: Launch; log: DaemonLog; idleMs: number; onEnd: (agent: Agent, reason: Error) => void }

/** Keeps one agent running while it is needed: from the first prompt until it has been idle, and again after it dies. */
export class AgentHost {
  readonly #deps: AgentHostDeps
  #starting: Promise<LaunchedAgent> | undefined
  #running: LaunchedAgent | undefined
  #name: string | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #isBusy = false

  /** @param deps.onEnd is called when the agent has ended or is being stopped. */
  constructor(deps: AgentHostDeps) {
    this.#deps = deps
  }

  get state(): 'stopped' | 'starting' | 'running' {
    if (this.#starting) return 'starting'
    return this.#running ? 'running' : 'stopped'
  }

  /** The agent's name, known after its first start. */
  get name(): string | null {
    return this.#name
  }

  /** Returns the running agent, or starts it. Rejects if it does not start. */
  async use(): Promise<Agent> {
    if (this.#running) return this.#running.agent
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return (await this.#starting).agent
  }

  /** Starts the agent before the first prompt. A failure is logged, and the prompt starts the agent again. */
  async warm(): Promise<void> {
    try {
      await this.use()
      // Starts the idle timer.
      if (!this.#isBusy) this.setBusy(false)
    } catch (error) {
      this.#deps.log('agent.not_started', { why: (error as Error).message })
    }
  }

  /** Notes whether the agent has work. An agent without work is stopped after `idleMs`. */
  setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy
    clearTimeout(this.#idleTimer)
    // An agent that cannot restore its sessions would lose them all.
    if (isBusy || !this.#running?.agent.canRestoreSessions) return
    this.#idleTimer = setTimeout(() => void this.stop(), this.#deps.idleMs).unref()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const stopped = this.#running ?? (await this.#starting?.catch(() => undefined))
    this.#running = undefined
    if (!stopped) return
    // Releases the agent's sessions before the agent ends, so that a turn that starts meanwhile uses the next agent.
    this.#deps.onEnd(stopped.agent, new Refusal('stream_severed', 'The agent was stopped.'))
    await stopped.stop()
  }

  async #start(): Promise<LaunchedAgent> {
    const { launch, log, onEnd } = this.#deps
    const startedAt = performance.now()
    const launched = await launch()
    this.#running = launched
    this.#name = launched.agent.name
    log('agent.started', { name: this.#name, ms: Math.round(performance.now() - startedAt) })
    void launched.agent.whenClosed.then((reason) => {
      if (this.#running === launched) this.#running = undefined
      log('agent.ended', { why: reason.message })
      onEnd(launched.agent, reason)
    })
    return launched
  }
}
