import type { Agent } from '../../acp/agent.ts'
import type { AgentSession } from '../../acp/agent-session.ts'

/** A session that is open with an agent. */
export type OpenedSession = { agent: Agent; agentSession: AgentSession }

/** A session in memory. State that must outlive the daemon is in the store. */
export type Session = {
  readonly id: string
  /** The run that holds the lock of the session. */
  run: { readonly id: string } | undefined
  /** Settles when the agent has ended its work on the last run. After a cancellation this is later than the end of the run. */
  settled: Promise<unknown>
  /** Whether the agent has a prompt that it has not answered. */
  isTurnOpen: boolean
  /** The running agent, and the agent's session. */
  openedWith: OpenedSession | undefined
  /** Why the earlier conversation is lost, until it was reported to a caller. */
  lossReason: string | undefined
  /** The MCP servers that the agent does not support, until they were reported to a caller. */
  unsupportedServers: string[]
  model: string | null
  /** The total cost of the session, as the agent last reported it. */
  costUsd: number | undefined
}

export function newSession(id: string): Session {
  return {
    id,
    run: undefined,
    settled: Promise.resolve(),
    isTurnOpen: false,
    openedWith: undefined,
    lossReason: undefined,
    unsupportedServers: [],
    model: null,
    costUsd: undefined,
  }
}
