import { Refusal } from '#interns/contract/refusal.ts'
import type { EndReason, RunReport } from '#interns/contract/run.ts'
import type { BudgetLimitName } from '#interns/contract/turn-budget.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { type TurnFailure, toTurnFailure } from './turn/turn-failure.ts'

/** Explains the end of a run. A `refusal` is the reason why it did not start. */
export type Explanation = Partial<TurnFailure & RunReport> & { refusal?: Refusal; budget?: BudgetLimitName }

const busyMessage = 'The intern has too many runs that wait for an answer. Try again later.'
const cancelledMessage = 'The run was cancelled.'
const severedMessage = 'The agent ended during the turn.'

/** Why an answer cannot resume its run, and ends it. */
export const outputLostMessage =
  'The run wrote more output while it waited than the intern stores, so it cannot be resumed and has ended. Send a new prompt.'

/** The last event of the stream of an ended run. Undefined if the run cannot have a reader. */
export function toClosingEvent(
  reason: EndReason,
  end: RunReport & Partial<TurnFailure> & { budget?: BudgetLimitName | undefined },
): TurnEvent | undefined {
  const { model, usage, meteredSince } = end
  const report: RunReport = { model, usage, meteredSince }
  const { message = '', retryable = false } = end
  switch (reason) {
    case 'finished':
      return { type: 'turn.finished', ...report }
    case 'refused':
    case 'failed':
      return { type: 'turn.failed', reason: 'turn_failed', message, retryable, ...report }
    case 'severed':
      return {
        type: 'turn.failed',
        reason: 'stream_severed',
        message: message || severedMessage,
        retryable: true,
        ...report,
      }
    case 'busy':
      return { type: 'turn.failed', reason: 'busy', message: busyMessage, retryable: true, ...report }
    case 'cancelled':
      return { type: 'run.ended', message: message || cancelledMessage, ...report }
    case 'over_budget':
      return { type: 'run.ended', message, budget: end.budget, ...report }
    case 'deadline':
    case 'disconnected':
      return undefined
    default:
      return reason satisfies never
  }
}

/** The refusal for the caller of a run that ended before it started. */
export function toRefusal(reason: EndReason, failure: Partial<TurnFailure> & { refusal?: Refusal }): Refusal {
  const { message = '', retryable } = failure
  if (failure.refusal) return failure.refusal
  if (reason === 'busy') return new Refusal('questions_full', busyMessage)
  if (reason === 'refused') return new Refusal('turn_failed', message, retryable)
  return new Refusal('stream_severed', message || (reason === 'severed' ? severedMessage : cancelledMessage))
}

/** Saves the end of a run. A run whose end cannot be saved has failed, because a restart would lose the end. */
export function saveRunEnd(
  save: (reason: EndReason) => void,
  reason: EndReason,
  explanation: Explanation,
): { reason: EndReason; explanation: Explanation } {
  try {
    save(reason)
    return { reason, explanation }
  } catch (error) {
    const failure = toTurnFailure(error)
    return reason === 'finished'
      ? { reason: 'failed', explanation: { ...explanation, ...failure } }
      : { reason, explanation }
  }
}
