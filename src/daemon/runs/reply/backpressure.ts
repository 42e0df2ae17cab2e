import type { Agent } from '../../acp/agent.ts'
import type { Backpressure } from './outbox.ts'

/** The number of runs that pause each agent. The agent is resumed when no run pauses it. */
const pauseCounts = new WeakMap<Agent, number>()

/** Pauses the agent of a run while its caller reads slowly, and disconnects a caller that does not read at all. */
export class AgentBackpressure implements Backpressure {
  readonly #stalledMs: number
  readonly #findAgent: () => Agent | undefined
  readonly #disconnect: () => void
  #pausedAgent: Agent | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param disconnect is called when the caller has been slow for `stalledMs`. */
  constructor(stalledMs: number, findAgent: () => Agent | undefined, disconnect: () => void) {
    this.#stalledMs = stalledMs
    this.#findAgent = findAgent
    this.#disconnect = disconnect
  }

  start(): void {
    this.#pausedAgent = this.#findAgent()
    this.#timer = setTimeout(this.#disconnect, this.#stalledMs)
    if (this.#pausedAgent && changePauseCount(this.#pausedAgent, 1) === 1) this.#pausedAgent.pause()
  }

  stop(): void {
    clearTimeout(this.#timer)
    if (this.#pausedAgent && changePauseCount(this.#pausedAgent, -1) === 0) this.#pausedAgent.resume()
    this.#pausedAgent = undefined
  }
}

function changePauseCount(agent: Agent, change: 1 | -1): number {
  const count = (pauseCounts.get(agent) ?? 0) + change
  pauseCounts.set(agent, count)
  return count
}
