import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import { dayMs } from '#platform/core/clock.ts'
import type { AgentLimits, AgentQuirks } from '../acp/agent.ts'
import type { AgentCommand } from '../acp/process.ts'
import type { OutboxLimits } from '../runs/reply/outbox.ts'
import { defaultTranscriptLimits, type TranscriptLimits } from '../transcript/limits.ts'

/** Limits of an intern, in milliseconds and bytes. */
export type Limits = AgentLimits &
  TranscriptLimits &
  OutboxLimits & {
    /** A question waits this long for its answer. */
    questionMs: number
    /** The limit of runs that wait for an answer. */
    maxOpenQuestions: number
    /** The limit of questions that a run queues behind the pending one. */
    maxQueuedQuestions: number
    /** The limit of background runs. */
    maxBackgroundRuns: number
    /** The time for which a caller that does not read its stream can pause the agent. */
    stalledCallerMs: number
    /** The time after the end of a run during which late output of the agent still belongs to this run. */
    lateOutputMs: number
    /**
     * The time within which the agent must end its work on a cancelled run. After it, the agent is stopped if no other run uses
     * it, and a waiting run is refused with `session_busy`.
     */
    settleMs: number
    /** An agent without a run continues for this time, and is then stopped. */
    agentIdleMs: number
    /** The limit of open sessions without a run. */
    maxIdleSessions: number
    /** The time for which an old question is stored, so that a late answer gets the right error. */
    questionMemoryMs: number
    /** The interval at which certificate files are checked for changes. */
    certificateCheckMs: number
  } & FileLimits

/** The limits of file transfers. */
export type FileLimits = {
  /** The maximum size of an uploaded file, an unpacked archive and a downloaded archive. */
  maxUploadBytes: number
  /** The maximum disk use of the intern; 0 for no limit. */
  maxDiskBytes: number
}

const MiB = 1024 * 1024

export const defaultLimits: Limits = {
  ...defaultTranscriptLimits,
  questionMs: 5 * 60_000,
  maxOpenQuestions: 8,
  maxQueuedQuestions: 100,
  maxBackgroundRuns: 32,
  maxReplayBytes: MiB,
  maxUnsentBytes: MiB,
  maxMessageBytes: 8 * MiB,
  handshakeMs: 60_000,
  stalledCallerMs: 30_000,
  lateOutputMs: 100,
  settleMs: 10_000,
  agentIdleMs: 10 * 60_000,
  maxIdleSessions: 100,
  questionMemoryMs: dayMs,
  certificateCheckMs: 15_000,
  maxUploadBytes: 1024 * MiB,
  maxDiskBytes: 0,
}

/** The command of an agent, and its peculiarities as data: the code does not know agents by name. */
export type AgentSettings = AgentCommand &
  AgentQuirks & {
    /**
     * The session mode of the agent for each approval mode; the agent must offer it. Without an entry, the mode is the one
     * with the name of the approval mode, if the agent offers that.
     */
    modes: Partial<Record<ApprovalMode, string>>
  }
