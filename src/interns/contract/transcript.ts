import type { ApprovalMode } from './approval-mode.ts'
import type { Question } from './question.ts'
import type { Action, Decision } from './rules/rule.ts'
import type { EndReason, RunReport } from './run.ts'
import type { TurnBudget } from './turn-budget.ts'

export type FileDiff = { path: string; diff: string }
export type PlanStep = { text: string; status: string; priority?: string | undefined }

export const toolStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const
export type ToolStatus = (typeof toolStatuses)[number]

/** The current state of a tool call. Long values are shortened in the middle, with a note. */
export type ToolActivity = {
  type: 'tool_call'
  toolCallId: string
  /** The kind of tool, as in a permission. */
  operation: string | null
  title: string | null
  status: ToolStatus
  input: string | null
  output: string | null
  paths: string[]
  changes: FileDiff[]
}
type PlanActivity = { type: 'plan'; steps: PlanStep[] }

/** Activity of the intern that is not text of its reply. */
export type Activity = ToolActivity | PlanActivity

/**
 * The state of a question. `fields` has the names of the filled fields; their values are not stored. A question ends with its run,
 * or is withdrawn by its agent.
 */
type QuestionState =
  | { state: 'waiting' }
  | { state: 'answered'; answer: string; fields: string[]; by: string | null; answeredAt: number }
  | { state: 'ended'; reason?: 'withdrawn' }

/** The content of an entry. `by` is a member's id. */
export type EntryContent =
  | { type: 'prompt'; text: string; mode: ApprovalMode; by: string | null; background?: true; budget?: TurnBudget }
  | { type: 'message' | 'reasoning'; text: string }
  | (ToolActivity & { endedAt: number | null })
  | PlanActivity
  | { type: 'question'; question: Question; deadlineAt: number; answer: QuestionState; action?: Action | undefined }
  /** The decision of a rule about an action. After `ask`, its question follows. */
  | { type: 'decision'; operation: string | null; detail: string | null; decision: Decision }
  | ({ type: 'end'; reason: EndReason; message: string | null } & RunReport)

/**
 * An entry of a session's transcript. Ids rise in the order of the transcript. Each change gives an entry a new `revision`
 * that is higher than all others, so that a reader can request the changes since one. Times are milliseconds since the epoch.
 */
export type Entry = { id: number; revision: number; runId: string; at: number; updatedAt: number } & EntryContent

/** An entry that starts, pauses, resumes or ends a run. */
export type Milestone = { sessionId: string; entry: Extract<Entry, { type: (typeof milestoneTypes)[number] }> }
export const milestoneTypes = ['prompt', 'question', 'end'] as const

/** An event for readers of a session: a saved entry, or a piece of text that is not saved yet. */
export type TranscriptEvent =
  | { type: 'entry'; entry: Entry }
  /** `offset` is the length of the entry's text before, in UTF-16 units. */
  | { type: 'text'; id: number; runId: string; at: number; kind: 'message' | 'reasoning'; offset: number; text: string }

export type SessionStatus = 'idle' | 'running' | 'waiting'

export type SessionSummary = {
  id: string
  /** The start of its first prompt. */
  title: string
  status: SessionStatus
  /** The number of its runs; an answer to a question does not count. */
  turns: number
  createdAt: number
  updatedAt: number
  /** The number of its oldest entries that were deleted. */
  dropped: number
}

export type Page = { after?: string | undefined; limit: number }
/** A page of sessions, sorted by last update, the latest first. */
export type SessionPage = { sessions: SessionSummary[]; hasMore: boolean }
/** A page of entries, in the order of the transcript. */
export type EntryPage = { session: SessionSummary; entries: Entry[]; hasMore: boolean }

/** The transcripts of an intern's sessions, stored by its daemon. */
export type Transcripts = {
  list(page: Page, signal?: AbortSignal): Promise<SessionPage>
  /** Reads a page of a session; undefined for an unknown session. `after` is the id of an entry. */
  read(sessionId: string, page: Page, signal?: AbortSignal): Promise<EntryPage | undefined>
  /**
   * Streams the changes since a revision, and new ones until `signal` aborts. Undefined for an unknown session. One member has at
   * most half of the streams of an intern.
   */
  follow(
    sessionId: string,
    revision: number,
    signal: AbortSignal,
    memberId?: string,
  ): Promise<AsyncIterableIterator<TranscriptEvent, undefined> | undefined>
  /** The milestones of all sessions since a revision, in order. Waits for the first one; empty after a timeout. */
  milestones(revision: number, signal: AbortSignal): Promise<Milestone[]>
}
