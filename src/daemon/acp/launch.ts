import { type Agent, type AgentLimits, greet, type SessionExtras } from './agent.ts'
import { ConnectionLost } from './connection.ts'
import { type AgentCommand, NotStarted, startAgent } from './process.ts'

/** An agent that runs. `agent.closed` says when it no longer does. */
export type Launched = { agent: Agent; stop(): Promise<void> }

/** Starts an agent. Passed in, so that a test can play it in its own process. */
export type Launch = () => Promise<Launched>

export function processLauncher(command: AgentCommand & SessionExtras, workspace: string, limits: AgentLimits): Launch {
  return async () => {
    const child = await startAgent(command, workspace)
    try {
      const agent = await greet(child, limits, command._meta ? { _meta: command._meta } : {})
      // A process whose connection has ended is of no more use.
      void agent.closed.then(child.kill)
      return { agent, stop: child.stop }
    } catch (error) {
      child.kill()
      throw error instanceof ConnectionLost ? new NotStarted(error.message) : error
    }
  }
}
