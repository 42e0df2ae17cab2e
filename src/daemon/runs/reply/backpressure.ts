import type { Agent } from '../../acp/agent.ts'
import type { Backpressure } from './outbox.ts'

/** The number of runs that pause each agent. The agent is resumed when no run pauses it. */
const pausesByAgent = new WeakMap<Agent, number>()

/** Pauses the agent of a run while its caller reads slowly, and calls `disconnect` when the caller has stalled. */
export function createBackpressure(
  stalledMs: number,
  agent: () => Agent | undefined,
  disconnect: () => void,
): Backpressure {
  let paused: Agent | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    begin: () => {
      paused = agent()
      timer = setTimeout(disconnect, stalledMs)
      if (paused && changeCount(paused, 1) === 1) paused.pause()
    },
    end: () => {
      clearTimeout(timer)
      if (paused && changeCount(paused, -1) === 0) paused.resume()
      paused = undefined
    },
  }
}

function changeCount(agent: Agent, by: 1 | -1): number {
  const pauses = (pausesByAgent.get(agent) ?? 0) + by
  pausesByAgent.set(agent, pauses)
  return pauses
}
