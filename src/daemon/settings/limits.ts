import type { ApprovalMode } from '#interns/contract/runs.ts'
import type { AgentLimits, AgentQuirks } from '../acp/agent.ts'
import type { AgentCommand } from '../acp/process.ts'
import type { OutboxLimits } from '../runs/outbox.ts'
import { defaultTranscriptLimits, type TranscriptLimits } from '../transcript/limits.ts'

/** Limits of an intern, in milliseconds and bytes. */
export type Limits = AgentLimits &
  TranscriptLimits &
  OutboxLimits & {
    /** A question waits this long for its answer. */
    questionMs: number
    /** The most runs that may wait for an answer at once. */
    maxOpenQuestions: number
    /** The most questions that one run may queue behind the one that is asked. */
    maxQueuedQuestions: number
    /** The most runs that may go on in the background at once. */
    maxBackgroundRuns: number
    /** A caller that does not read its stream may hold the agent back for this long. */
    stalledCallerMs: number
    /** The output of a turn is still taken for this long after its end, from agents that can send any then. */
    lateOutputMs: number
    /** A cancelled turn must end within this time. After it, the session counts as stuck. */
    settleMs: number
    /** An agent without a turn is kept running for this long. */
    agentIdleMs: number
    /** The most sessions without a turn that an agent keeps open. */
    maxIdleSessions: number
    /** An old question is remembered for this long, so that a late answer gets the true reason. */
    questionMemoryMs: number
    /** The files of certificates are looked at this often, whether they have changed. */
    certificateLookMs: number
  } & FileLimits

/** What its workspace takes from outside. */
export type FileLimits = {
  /** The most bytes of a file or an unpacked archive that comes in, and of an archive that goes out. */
  maxUploadBytes: number
  /** What all files of the intern may take on the disk; 0 for any. */
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
  questionMemoryMs: 24 * 60 * 60_000,
  certificateLookMs: 15_000,
  maxUploadBytes: 1024 * MiB,
  maxDiskBytes: 0,
}

/** The command of an agent, and its peculiarities as data: the code knows no agent by name. */
export type AgentSettings = AgentCommand &
  AgentQuirks & {
    /** The session modes of the agent that mean our approval modes. One that it does not offer is not set. */
    modes: Record<ApprovalMode, string>
  }
