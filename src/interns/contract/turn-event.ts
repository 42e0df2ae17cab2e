import type { Question } from './question.ts'
import type { Action } from './rules/rule.ts'
import type { TurnReport } from './run.ts'
import type { Activity } from './transcript.ts'
import type { BudgetPart } from './turn-budget.ts'

/** No event is longer as a line: longer text comes in pieces, and what has none is refused where it comes from. */
export const maxEventBytes = 512 * 1024

/** Why a turn failed after it had begun, in the words of the chat route. */
export type FailureReason = 'turn_failed' | 'stream_severed' | 'busy'

/**
 * The events for the caller of a turn, in order. `turn.started` comes first, also when an answer resumes a run. Exactly
 * one of the last four closes the stream.
 */
export type TurnEvent =
  | { type: 'turn.started'; runId: string; sessionId: string; model: string | null }
  | { type: 'text.added'; text: string }
  | { type: 'reasoning.added'; text: string }
  /** The intern is at work on something that the caller does not see. At most one a second. */
  | { type: 'work.noticed' }
  /** The work itself, for a caller who asked for it. */
  | { type: 'activity.noticed'; activity: Activity }
  /** A rule decided something: the server is to fetch what. */
  | { type: 'decision.made' }
  /** The run waits. `deadlineAt` is in milliseconds since the epoch; `action` is what a permission is about. */
  | { type: 'question.asked'; question: Question; deadlineAt: number; action?: Action | undefined }
  | ({ type: 'turn.finished' } & TurnReport)
  | ({ type: 'turn.failed'; reason: FailureReason; message: string; retryable: boolean } & TurnReport)
  /** An ending that the intern confirms: it was cancelled, or has spent its budget. */
  | ({ type: 'run.ended'; message: string; budget?: BudgetPart | undefined } & TurnReport)

const closing: ReadonlySet<TurnEvent['type']> = new Set(['question.asked', 'turn.finished', 'turn.failed', 'run.ended'])

/** Whether this event ends the stream. */
export const closesStream = (event: TurnEvent) => closing.has(event.type)
