import type { ApprovalMode } from '#interns/runs.ts'
import type { AgentLimits, SessionExtras } from './acp/agent.ts'
import type { AgentCommand } from './acp/process.ts'
import type { OutboxLimits } from './outbox.ts'

/** How much an intern may hold and how long it waits. Milliseconds and bytes. */
export type Limits = AgentLimits &
  OutboxLimits & {
    /** How long a question waits for its answer. */
    questionMs: number
    /** How many runs may wait for an answer at once. */
    maxOpenQuestions: number
    /** How many questions one run may have in line behind the one that is asked. */
    maxQueuedQuestions: number
    /** How long a caller may leave its stream unread once the agent is held back for it. */
    stalledCallerMs: number
    /** How long an agent may take to end a turn that was cancelled, before the session counts as stuck. */
    settleMs: number
    /** How long an agent without a turn is kept running. */
    agentIdleMs: number
    /** How many sessions an agent keeps open without a turn. */
    maxIdleSessions: number
    /** How long an old question is remembered, so that a late answer is told the truth. */
    questionMemoryMs: number
  }

const MiB = 1024 * 1024

export const defaultLimits: Limits = {
  questionMs: 5 * 60_000,
  maxOpenQuestions: 8,
  maxQueuedQuestions: 100,
  maxReplayBytes: MiB,
  maxUnsentBytes: MiB,
  maxMessageBytes: 8 * MiB,
  handshakeMs: 60_000,
  stalledCallerMs: 30_000,
  settleMs: 10_000,
  agentIdleMs: 10 * 60_000,
  maxIdleSessions: 100,
  questionMemoryMs: 24 * 60 * 60_000,
}

/** How an agent is run, and its quirks as data: the code knows no agent by name. */
export type AgentSettings = AgentCommand &
  SessionExtras & {
    /** The session modes of the agent that mean our approval modes. One that it does not offer is not set. */
    modes: Record<ApprovalMode, string>
  }
