import type { ApprovalMode } from './approval-mode.ts'
import type { Attachment } from './attachments.ts'
import type { InternFiles } from './files.ts'
import type { PermissionDetails } from './question.ts'
import type { LoggedDecision, RulesInForce } from './rules/rule.ts'
import type { Transcripts } from './transcript.ts'
import type { BudgetLimitName, TurnBudget } from './turn-budget.ts'
import type { TurnEvent } from './turn-event.ts'

/** The version of this contract, part of every path. A daemon refuses requests of another version. */
export const contractVersion = 1

/**
 * The caller of a turn: `by` is the id of the member, `activity` requests tool calls and plans in addition to the reply. A
 * `background` run continues when its caller disconnects, and stays in the background.
 */
export type TurnCaller = { by?: string | undefined; activity?: boolean | undefined; background?: boolean | undefined }

/** A turn. Without `sessionId`, or with an unknown one, a new session is created. */
export type StartTurn = {
  prompt: string
  attachments?: Attachment[]
  mode: ApprovalMode
  sessionId?: string
  /** The limits of the turn. */
  budget?: TurnBudget | undefined
  /** The number of turns of the session when the budget was computed. The turn is refused with `session_moved` if it changed. */
  turnsBefore?: number | undefined
} & TurnCaller

/** Instead of a question's id: the question that the session waits for. For people at a terminal. */
export const pendingQuestionId = 'pending'

/** An answer of the caller: a word for a permission, a JSON object for a form. */
export type AnswerQuestion = { sessionId: string; questionId: string; answer: string } & TurnCaller

export type InternHealth = {
  contract: number
  /** Milliseconds since the epoch. */
  startedAt: number
  agent: 'stopped' | 'starting' | 'running'
  /** The agent's name, known after its first start. */
  agentName: string | null
  /** The number of runs in progress. */
  runs: number
  /** The number of runs that wait for an answer. */
  waiting: number
  /** The daemon accepts no more turns since it was asked to (`drain`), and the server will end it. This is final. */
  resting?: boolean | undefined
}

/**
 * The interface of the daemon of one intern. The server calls it and the daemon implements it. `connect-runs.ts` sends the calls over HTTP.
 *
 * `start` and `answer` resolve when the agent has started or resumed the turn. A rejection with the refusal `stream_severed`
 * means that the turn may have started; any other rejection means that nothing has changed. If the caller aborts `signal`, or stops
 * reading before the closing event, the run is cancelled unless it is in the background.
 */
export type DaemonApi = {
  transcripts: Transcripts
  files: InternFiles
  start(turn: StartTurn, signal: AbortSignal): Promise<AsyncIterable<TurnEvent>>
  answer(answer: AnswerQuestion, signal: AbortSignal): Promise<AsyncIterable<TurnEvent>>
  /**
   * Cancels a run; with `exceededBudget` because it reached that limit, or because the limit refused a request that can cost
   * `neededUsd`. Returns false for an unknown or ended run.
   */
  cancel(runId: string, exceededBudget?: BudgetLimitName, neededUsd?: number): Promise<boolean>
  /** Returns the complete content of a pending permission; undefined if it is not pending. */
  question(id: string, signal?: AbortSignal): Promise<PermissionDetails | undefined>
  /** Sets the rules in force from now on, also for running turns. */
  setRules(rules: RulesInForce, signal?: AbortSignal): Promise<void>
  /**
   * Returns the oldest decisions of the rules after `afterSeq`, and deletes those up to it: the server has stored them.
   */
  decisions(afterSeq: number): Promise<LoggedDecision[]>
  /**
   * Asks the daemon to accept no more turns, so that it can be ended. If it had no run for `idleMs`, it refuses turns with
   * `intern_asleep` from now on, and returns 0. Otherwise it returns the delay until the next request, in milliseconds.
   */
  drain(idleMs: number, signal?: AbortSignal): Promise<number>
  health(signal?: AbortSignal): Promise<InternHealth>
  /**
   * Opens the connection for the next call in advance.
   * @returns the function that closes it, if the call is not made.
   */
  prewarm?(): () => void
}
