import type { Attachment } from './attachments.ts'
import type { InternFiles } from './files.ts'
import type { WholePermission } from './question.ts'
import type { LoggedDecision, RulesInForce } from './rules/rule.ts'
import type { Transcripts } from './transcript.ts'
import type { BudgetPart, TurnBudget } from './turn-budget.ts'
import type { TurnEvent } from './turn-event.ts'

/** The version of this contract. Both sides name it in every path; a daemon of another version refuses by name. */
export const contractVersion = 1

/** `manual` asks the caller before an operation that needs consent; `self-drive` consents on the caller's behalf. */
export type ApprovalMode = 'manual' | 'self-drive'

/**
 * Who speaks, by the id of the member, and whether they want to hear of the work besides the reply. In the background a
 * run goes on when its caller leaves; it stays so from then on.
 */
export type TurnCaller = { by?: string | undefined; activity?: boolean | undefined; background?: boolean | undefined }

/** A turn. Without `sessionId` a new session is made; an unknown one becomes a new session of that name. */
export type StartTurn = {
  prompt: string
  attachments?: Attachment[]
  mode: ApprovalMode
  sessionId?: string
  /** What it may take. */
  budget?: TurnBudget | undefined
  /** How many turns its session had when that was worked out: with any other number it is refused, `session_moved`. */
  turnsBefore?: number | undefined
} & TurnCaller

/** In the place of a question's id: the one that the session waits with. For people at a terminal. */
export const pendingQuestion = 'pending'

/** An answer, as the caller wrote it: a word for a permission, a JSON object for a question. */
export type AnswerQuestion = { sessionId: string; questionId: string; answer: string } & TurnCaller

export type InternHealth = {
  contract: number
  /** Milliseconds since the epoch. */
  startedAt: number
  agent: 'stopped' | 'starting' | 'running'
  /** The agent's own name, known after its first run. */
  agentName: string | null
  runs: number
  waiting: number
  /** It takes no more turns, and is to be ended. */
  resting?: boolean | undefined
}

/**
 * The runs of one intern. The API calls it, the intern's daemon does it; `connectRuns` carries it over a socket.
 *
 * `start` and `answer` resolve once the agent has begun or resumed the turn, and reject with a `Refusal` before: then
 * nothing has changed. Leaving the events before the one that closes them, or aborting `signal`, cancels the run, unless
 * it is in the background.
 */
export type Runs = {
  transcripts: Transcripts
  files: InternFiles
  start(turn: StartTurn, signal: AbortSignal): Promise<AsyncIterable<TurnEvent>>
  answer(answer: AnswerQuestion, signal: AbortSignal): Promise<AsyncIterable<TurnEvent>>
  /**
   * Ends a run for whoever is attached; with `spent` because of that part of its budget, by what was metered, or left no room
   * for a request that may cost `neededUsd`. False when there is no such run, or it is over.
   */
  cancel(runId: string, spent?: BudgetPart, neededUsd?: number): Promise<boolean>
  /** All that a permission that waits is about, however long; undefined when it does not wait here. */
  question(id: string): Promise<WholePermission | undefined>
  /** What decides from now on, also in runs that are under way. */
  judgeBy(rules: RulesInForce, signal?: AbortSignal): Promise<void>
  /** The oldest decisions behind `seq`, which is forgotten with all before it. */
  decisions(afterSeq: number): Promise<LoggedDecision[]>
  /**
   * Asks for no more turns, so that the daemon can be ended: where nothing has gone on for so long, turns are refused from
   * now on, with `intern_asleep`, and the answer is 0. Else it is after how many milliseconds to ask again.
   */
  rest(idleMs: number, signal?: AbortSignal): Promise<number>
  health(signal?: AbortSignal): Promise<InternHealth>
  /**
   * Begins to connect for the next call, where that takes a while, so that its caller can make ready meanwhile.
   * @returns what is to be called when no call comes.
   */
  ahead?(): () => void
}
