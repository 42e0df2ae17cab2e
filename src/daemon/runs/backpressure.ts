import type { Agent } from '../acp/agent.ts'
import type { Backpressure } from './outbox.ts'

/** The number of runs that pause each agent. The agent is resumed when there are none. */
const holders = new WeakMap<Agent, number>()

/** Pauses the agent of a run while its caller reads slowly, and calls `cutOff` when the caller has stalled. */
export function createBackpressure(
  stalledMs: number,
  agent: () => Agent | undefined,
  cutOff: () => void,
): Backpressure {
  let held: Agent | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    begin: () => {
      held = agent()
      timer = setTimeout(cutOff, stalledMs)
      if (held && count(held, 1) === 1) held.pause()
    },
    end: () => {
      clearTimeout(timer)
      if (held && count(held, -1) === 0) held.resume()
      held = undefined
    },
  }
}

function count(agent: Agent, by: 1 | -1): number {
  const holding = (holders.get(agent) ?? 0) + by
  holders.set(agent, holding)
  return holding
}
