import type { ApprovalMode } from '../registry/intern.ts'
import type { Question } from './question.ts'
import type { Action, Decision } from './rules/rule.ts'
import type { EndReason, TurnReport } from './run.ts'
import type { TurnBudget } from './turn-budget.ts'

export type FileDiff = { path: string; diff: string }
export type PlanStep = { text: string; status: string; priority?: string | undefined }

export const toolStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const
export type ToolStatus = (typeof toolStatuses)[number]

/** A tool call as it stands. Long values are cut, with a mark in their middle. */
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
export type PlanActivity = { type: 'plan'; steps: PlanStep[] }

/** The intern's work that is no text of its reply. */
export type Activity = ToolActivity | PlanActivity

/** How a question ended. `fields` are the names of those that were filled in; what was typed is not kept. */
export type QuestionState =
  | { state: 'waiting' }
  | { state: 'answered'; answer: string; fields: string[]; by: string | null; answeredAt: number }
  | { state: 'ended' }

/** One thing that was said or done. `by` is a member's id. */
export type EntryContent =
  | { type: 'prompt'; text: string; mode: ApprovalMode; by: string | null; background?: true; budget?: TurnBudget }
  | { type: 'message' | 'reasoning'; text: string }
  | (ToolActivity & { endedAt: number | null })
  | PlanActivity
  | { type: 'question'; question: Question; deadlineAt: number; answer: QuestionState; action?: Action }
  /** A rule decided whether something is done; `ask`: its question follows. */
  | { type: 'decision'; operation: string | null; detail: string | null; decision: Decision }
  | ({ type: 'end'; reason: EndReason; message: string | null } & TurnReport)

/**
 * An entry of a session's transcript. Ids rise in the order of the transcript. `revision` is another with each change and
 * rises over all entries, so that a reader who has seen one needs only what is above it. Instants are in ms since the epoch.
 */
export type Entry = { id: number; revision: number; runId: string; at: number; updatedAt: number } & EntryContent

/** An entry by which a run begins, waits, goes on or ends. */
export type Milestone = { sessionId: string; entry: Extract<Entry, { type: (typeof milestoneTypes)[number] }> }
export const milestoneTypes = ['prompt', 'question', 'end'] as const

/** What a reader of a session hears: entries as they were saved, and pieces of text that are not saved yet. */
export type TranscriptEvent =
  | { type: 'entry'; entry: Entry }
  /** `offset` is the length of the entry's text before, in UTF-16 units. */
  | { type: 'text'; id: number; runId: string; at: number; kind: 'message' | 'reasoning'; offset: number; text: string }

export type SessionStatus = 'idle' | 'running' | 'waiting'

export type SessionSummary = {
  id: string
  /** The beginning of its first prompt. */
  title: string
  status: SessionStatus
  turns: number
  createdAt: number
  updatedAt: number
  /** How many of its oldest entries are no longer kept. */
  dropped: number
}

export type Page = { after?: string | undefined; limit: number }
/** The latest session first. */
export type SessionPage = { sessions: SessionSummary[]; hasMore: boolean }
/** In the order of the transcript. */
export type EntryPage = { session: SessionSummary; entries: Entry[]; hasMore: boolean }

/** The transcripts of an intern's sessions, as its daemon keeps them. */
export type Transcripts = {
  list(page: Page): Promise<SessionPage>
  /** Undefined where there is no such session. `after` is the id of an entry. */
  read(sessionId: string, page: Page): Promise<EntryPage | undefined>
  /** All changes above a revision, and those to come, until `signal`. Undefined where there is no such session. */
  follow(
    sessionId: string,
    revision: number,
    signal: AbortSignal,
  ): Promise<AsyncIterableIterator<TranscriptEvent, undefined> | undefined>
  /** Of all sessions, above a revision, in its order. Where there are none yet it waits for the first; empty: none came. */
  milestones(revision: number, signal: AbortSignal): Promise<Milestone[]>
}
