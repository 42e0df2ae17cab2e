import type { Question } from './question.ts'
import type { Action } from './rules/rule.ts'
import type { RunReport } from './run.ts'
import type { Activity } from './transcript.ts'
import type { BudgetLimitName } from './turn-budget.ts'

/** The maximum length of an event as a line. Longer text is split; other events that are too long are refused. */
export const maxEventBytes = 512 * 1024

/** Why a turn failed after it had started. These are values of `metadata.reason` in errors of the chat route. */
export type FailureReason = 'turn_failed' | 'stream_severed' | 'busy'

/**
 * The events for the caller of a turn, in order. `turn.started` comes first, also when an answer resumes a run. Exactly
 * one of the last four closes the stream.
 */
export type TurnEvent =
  | { type: 'turn.started'; runId: string; sessionId: string; model: string | null }
  | { type: 'text.added'; text: string }
  | { type: 'reasoning.added'; text: string }
  /** The run continues, although the caller gets no other event, for example during a tool call. At most one per second. */
  | { type: 'work.noticed' }
  /** A tool call or a plan of the intern. Sent only if the caller requested activities. */
  | { type: 'activity.noticed'; activity: Activity }
  /** A rule decided about an action. The event has no details: the server fetches the stored decision from the daemon. */
  | { type: 'decision.made' }
  /** The run waits for an answer. `deadlineAt` is in milliseconds since the epoch; `action` is the action of a permission. */
  | { type: 'question.asked'; question: Question; deadlineAt: number; action?: Action | undefined }
  | ({ type: 'turn.finished' } & RunReport)
  | ({ type: 'turn.failed'; reason: FailureReason; message: string; retryable: boolean } & RunReport)
  /** The run was cancelled, or reached its budget. */
  | ({ type: 'run.ended'; message: string; budget?: BudgetLimitName | undefined } & RunReport)

const closingTypes: ReadonlySet<TurnEvent['type']> = new Set([
  'question.asked',
  'turn.finished',
  'turn.failed',
  'run.ended',
])

/** Whether this event ends the stream. */
export const closesStream = (event: TurnEvent) => closingTypes.has(event.type)
