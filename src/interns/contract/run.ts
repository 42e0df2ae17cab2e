import type { Usage } from '#chat/usage.ts'
import type { Question } from './question.ts'

/** Why a run is over. Only `finished` is a success. */
export const endReasons = [
  /** The turn is complete. */
  'finished',
  /** The agent refused the prompt before it began. */
  'refused',
  /** The agent gave up after it had begun. */
  'failed',
  /** Somebody asked for the end, or the agent confirmed one. */
  'cancelled',
  /** Nobody answered a question in time. */
  'deadline',
  /** The caller left while the run was streaming to it. */
  'disconnected',
  /** The agent's process is gone. */
  'severed',
  /** The run had to ask, and the intern could not hold another run open across a question. */
  'busy',
  /** It took what it may take. */
  'over_budget',
] as const
export type EndReason = (typeof endReasons)[number]

/**
 * What the intern reported about a turn that is over. Null where it reported nothing. `meteredSince`: all that was metered
 * for the intern from this instant on is of this turn.
 */
export type TurnReport = { model: string | null; usage: Usage | null; meteredSince?: number | undefined }

/**
 * The state of a run. It is `starting` until the agent has begun the turn, and `waiting` while the caller has a
 * question. Further questions are `queued` and asked one after another.
 */
export type RunState =
  | { at: 'starting' }
  | { at: 'running' }
  | { at: 'waiting'; question: Question; deadlineAt: number; queued: Question[] }
  | { at: 'ended'; reason: EndReason }

/** Everything that can happen to a run. Times are milliseconds since the epoch. */
export type RunEvent =
  | { type: 'turn.started' }
  | { type: 'output.written' }
  /** `held` says whether the intern can hold one more run open across a question. */
  | { type: 'question.asked'; question: Question; deadlineAt: number; held: boolean }
  /** The agent no longer needs the answer. */
  | { type: 'question.withdrawn'; questionId: string }
  /** `deadlineAt` is for the next question, if there is one. */
  | { type: 'answer.accepted'; questionId: string; deadlineAt: number }
  | { type: 'answer.refused'; questionId: string }
  | { type: 'clock.ticked'; now: number }
  /** `paused` says whether the caller had been told of the question: then it may leave. */
  | { type: 'client.disconnected'; paused: boolean }
  | { type: 'run.cancelled' }
  | { type: 'budget.spent' }
  | { type: 'agent.died' }
  | { type: 'turn.finished' }
  | { type: 'turn.failed' }

export const newRun: RunState = { at: 'starting' }

const ended = (reason: EndReason): RunState => ({ at: 'ended', reason })

/** The next state. Pure: an event that cannot happen in a state leaves it as it is, and an ended run stays ended. */
export function step(state: RunState, event: RunEvent): RunState {
  if (state.at === 'ended') return state
  switch (event.type) {
    case 'turn.started':
    case 'output.written':
      return state.at === 'starting' ? { at: 'running' } : state
    case 'question.asked':
      return ask(state, event)
    case 'question.withdrawn':
      return withdraw(state, event.questionId)
    case 'answer.accepted':
      return state.at === 'waiting' && state.question.id === event.questionId ? proceed(state, event.deadlineAt) : state
    case 'answer.refused':
      return state
    case 'clock.ticked':
      return state.at === 'waiting' && event.now >= state.deadlineAt ? ended('deadline') : state
    case 'client.disconnected':
      return state.at === 'waiting' && event.paused ? state : ended('disconnected')
    case 'run.cancelled':
      return ended('cancelled')
    case 'budget.spent':
      return ended('over_budget')
    case 'agent.died':
      return ended('severed')
    case 'turn.finished':
      return ended('finished')
    case 'turn.failed':
      return ended(state.at === 'starting' ? 'refused' : 'failed')
    default:
      return event satisfies never
  }
}

type Open = Exclude<RunState, { at: 'ended' }>
type Waiting = Extract<RunState, { at: 'waiting' }>

function ask(state: Open, event: Extract<RunEvent, { type: 'question.asked' }>): RunState {
  if (state.at === 'waiting') return { ...state, queued: [...state.queued, event.question] }
  if (!event.held) return ended('busy')
  return { at: 'waiting', question: event.question, deadlineAt: event.deadlineAt, queued: [] }
}

/** The caller was already told of the question it holds: that one stays open, so that its answer resumes the stream. */
function withdraw(state: Open, questionId: string): RunState {
  if (state.at !== 'waiting') return state
  return { ...state, queued: state.queued.filter((question) => question.id !== questionId) }
}

function proceed(state: Waiting, deadlineAt: number): RunState {
  const [question, ...queued] = state.queued
  return question ? { at: 'waiting', question, deadlineAt, queued } : { at: 'running' }
}
