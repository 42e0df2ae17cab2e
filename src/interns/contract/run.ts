import type { Usage } from '#chat/usage.ts'
import type { Question } from './question.ts'

/** Why a run is over. Only `finished` is a success. */
export const endReasons = [
  /** The run is complete. */
  'finished',
  /** The agent refused the prompt before it started to work. */
  'refused',
  /** The agent failed after it had started to work. */
  'failed',
  /** A user or the agent cancelled it. */
  'cancelled',
  /** A question was not answered in time. */
  'deadline',
  /** The caller disconnected during the reply. */
  'disconnected',
  /** The agent's process ended. */
  'severed',
  /** The run had a question, and the intern had too many waiting runs. */
  'busy',
  /** The run reached a limit of its budget. */
  'over_budget',
] as const
export type EndReason = (typeof endReasons)[number]

/**
 * The intern's report of an ended run. Null for what the intern did not report. `meteredSince`: everything metered for the
 * intern from this time on belongs to this run.
 */
export type RunReport = { model: string | null; usage: Usage | null; meteredSince?: number | undefined }

/**
 * The state of a run. It is `starting` until the agent has started to work, and `waiting` while the caller has a question.
 * Further questions are `queued` and asked one after another.
 */
export type RunState =
  | { at: 'starting' }
  | { at: 'running' }
  | { at: 'waiting'; question: Question; deadlineAt: number; queued: Question[] }
  | { at: 'ended'; reason: EndReason }

/** The events of a run. Times are milliseconds since the epoch. */
export type RunEvent =
  | { type: 'turn.started' }
  | { type: 'output.written' }
  /** `canWait`: whether one more run can wait for an answer. */
  | { type: 'question.asked'; question: Question; deadlineAt: number; canWait: boolean }
  /** The agent no longer needs the answer. `deadlineAt` is for the next question, if there is one. */
  | { type: 'question.withdrawn'; questionId: string; deadlineAt: number }
  /** `deadlineAt` is for the next question, if there is one. */
  | { type: 'answer.accepted'; questionId: string; deadlineAt: number }
  | { type: 'clock.ticked'; now: number }
  /** The caller has disconnected before it received the last event of its reply: the end of the run, or its question. */
  | { type: 'client.disconnected' }
  | { type: 'run.cancelled' }
  | { type: 'budget.spent' }
  | { type: 'agent.died' }
  | { type: 'turn.finished' }
  | { type: 'turn.failed' }

export const newRun: RunState = { at: 'starting' }

const endedRun = (reason: EndReason): RunState => ({ at: 'ended', reason })

/** Returns the next state. Events that are impossible in a state are ignored, and an ended run stays ended. */
export function step(state: RunState, event: RunEvent): RunState {
  if (state.at === 'ended') return state
  switch (event.type) {
    case 'turn.started':
    case 'output.written':
      return state.at === 'starting' ? { at: 'running' } : state
    case 'question.asked':
      return ask(state, event)
    case 'question.withdrawn':
      return withdraw(state, event)
    case 'answer.accepted':
      return state.at === 'waiting' && state.question.id === event.questionId ? resume(state, event.deadlineAt) : state
    case 'clock.ticked':
      return state.at === 'waiting' && event.now >= state.deadlineAt ? endedRun('deadline') : state
    case 'client.disconnected':
      return endedRun('disconnected')
    case 'run.cancelled':
      return endedRun('cancelled')
    case 'budget.spent':
      return endedRun('over_budget')
    case 'agent.died':
      return endedRun('severed')
    case 'turn.finished':
      return endedRun('finished')
    case 'turn.failed':
      return endedRun(state.at === 'starting' ? 'refused' : 'failed')
    default:
      return event satisfies never
  }
}

type OpenRun = Exclude<RunState, { at: 'ended' }>
type WaitingRun = Extract<RunState, { at: 'waiting' }>

function ask(state: OpenRun, event: Extract<RunEvent, { type: 'question.asked' }>): RunState {
  if (state.at === 'waiting') return { ...state, queued: [...state.queued, event.question] }
  if (!event.canWait) return endedRun('busy')
  return { at: 'waiting', question: event.question, deadlineAt: event.deadlineAt, queued: [] }
}

/** Removes a queued question, or ends the wait for the current one. */
function withdraw(state: OpenRun, event: Extract<RunEvent, { type: 'question.withdrawn' }>): RunState {
  const { questionId, deadlineAt } = event
  if (state.at !== 'waiting') return state
  if (state.question.id === questionId) return resume(state, deadlineAt)
  return { ...state, queued: state.queued.filter((question) => question.id !== questionId) }
}

function resume(state: WaitingRun, deadlineAt: number): RunState {
  const [question, ...queued] = state.queued
  return question ? { at: 'waiting', question, deadlineAt, queued } : { at: 'running' }
}
