import { Refusal } from '#interns/contract/refusal.ts'
import { createMark, killMarked, markerVariable } from '#platform/process/process-marker.ts'
import type { DaemonLog } from '../log.ts'
import { type Agent, type AgentLimits, type AgentQuirks, initializeAgent } from './agent.ts'
import { type AgentCommand, startAgent } from './process.ts'

/** A running agent. `agent.whenClosed` resolves when the agent ends. */
export type LaunchedAgent = { agent: Agent; stop(): Promise<void> }

/** Starts an agent. A test can pass a function whose agent runs in the process of the test. */
export type Launch = () => Promise<LaunchedAgent>

/** Launches the first agent now. The first call of the returned function returns that agent, later calls launch others. */
export function launchAhead(launch: Launch): Launch {
  let first: ReturnType<Launch> | undefined = launch()
  // The first caller receives the error.
  first.catch(() => {})
  return () => {
    const launched = first ?? launch()
    first = undefined
    return launched
  }
}

/** Creates the function that starts an agent as a process. Before it returns, kills processes of the workspace that an earlier daemon left. */
export function createProcessLauncher(
  settings: AgentCommand & AgentQuirks,
  workspace: string,
  limits: AgentLimits,
  log: DaemonLog,
): Launch {
  const workspaceMark = createMark(workspace)
  killMarked(workspaceMark)
  let startCount = 0
  return async () => {
    // A search finds all marks that start with this text: without the last dot, agent 1 would include agent 10.
    const mark = `${workspaceMark}.${++startCount}.`
    const child = await startAgent({ ...settings, env: { ...settings.env, [markerVariable]: mark } }, workspace)
    // Kills the processes that the agent started.
    void child.exited.then(() => killMarked(mark))
    try {
      const { _meta, authenticate, mcpServers } = settings
      const agent = await initializeAgent(child, limits, { _meta, authenticate, mcpServers }, log)
      // A process without a connection is useless.
      void agent.whenClosed.then(child.kill)
      return { agent, stop: child.stop }
    } catch (error) {
      child.kill()
      // `stream_severed` means that a session may be lost. The agent ended during its start, so there was none.
      throw isLostConnection(error) ? new Error(error.message) : error
    }
  }
}

const isLostConnection = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.kind === 'stream_severed'
