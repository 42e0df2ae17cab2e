import type { Agent, AgentSession } from '../acp/agent.ts'

/** A session in memory. State that must outlive the daemon is in the store. */
export type Session = {
  readonly id: string
  /** The run that holds the turn lock. */
  run: { readonly id: string } | undefined
  /** Settles when the last turn is over for the agent too, which after a cancellation is later than the run's end. */
  settled: Promise<unknown>
  /** Whether the agent has a prompt that it has not answered. */
  turnOpen: boolean
  /** The session as the running agent knows it. */
  opened: { agent: Agent; as: AgentSession } | undefined
  /** Why the conversation so far is lost, until its caller has been told. */
  lost: string | undefined
  /** The intern's servers of tools that its agent cannot reach, until its caller has been told. */
  withheld: string[]
  model: string | null
  /** The total cost of the session, as the agent last reported it. */
  costUsd: number | undefined
}

export function newSession(id: string): Session {
  return {
    id,
    run: undefined,
    settled: Promise.resolve(),
    turnOpen: false,
    opened: undefined,
    lost: undefined,
    withheld: [],
    model: null,
    costUsd: undefined,
  }
}
