import { killMarked, markerOf, markerVariable } from '#lib/process-marker.ts'
import { type Agent, type AgentLimits, initializeAgent, type SessionExtras } from './agent.ts'
import { ConnectionLost } from './connection.ts'
import { type AgentCommand, NotStarted, startAgent } from './process.ts'

/** An agent that runs. `agent.closed` says when it no longer does. */
export type Launched = { agent: Agent; stop(): Promise<void> }

/** Starts an agent. Passed in, so that a test can play it in its own process. */
export type Launch = () => Promise<Launched>

export function processLauncher(
  settings: AgentCommand & SessionExtras,
  workspace: string,
  limits: AgentLimits,
): Launch {
  const all = markerOf(workspace)
  killMarked(all)
  let started = 0
  return async () => {
    const mark = `${all}.${++started}.`
    const child = await startAgent({ ...settings, env: { ...settings.env, [markerVariable]: mark } }, workspace)
    void child.exited.then(() => killMarked(mark))
    try {
      const agent = await initializeAgent(child, limits, settings._meta ? { _meta: settings._meta } : {})
      // A process whose connection has ended is of no more use.
      void agent.closed.then(child.kill)
      return { agent, stop: child.stop }
    } catch (error) {
      child.kill()
      throw error instanceof ConnectionLost ? new NotStarted(error.message) : error
    }
  }
}
