import type { Question, WholePermission } from '#interns/contract/question.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { type EndReason, newRun, type RunEvent, type RunState, step } from '#interns/contract/run.ts'
import type { ApprovalMode, TurnCaller } from '#interns/contract/runs.ts'
import type { BudgetPart, TurnBudget } from '#interns/contract/turn-budget.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { refuseTooLarge } from '../server/split-event.ts'
import type { Limits } from '../settings/limits.ts'
import { closingEvent, type Explanation, refusalFor, savedEnd } from './closing-event.ts'
import { OpenQuestions } from './open-questions.ts'
import { type Backpressure, Outbox } from './outbox.ts'
import type { PendingQuestion } from './pending-question.ts'
import { RunBudget } from './run-budget.ts'
import type { Session } from './session.ts'
import { takeSessionNotes } from './session-notes.ts'

export type LiveRunDeps = {
  limits: Limits
  now: () => number
  /** Whether the intern may keep one more run open while it waits for an answer. */
  canWait: () => boolean
  backpressure: Backpressure
  /** A question is about to be asked, and must be remembered. May throw. */
  asking: (run: LiveRun, asked: Pick<PendingQuestion, 'question' | 'action'>, deadlineAt: number) => void
  /** From now on the run waits, or works, until an instant. */
  timed: (run: LiveRun) => void
  /** An answer was taken. */
  answered: (run: LiveRun, question: Question, answer: string, by: string | undefined) => void
  /** The run ends, and its end is to be saved before anyone hears of it. May throw. */
  ending: (run: LiveRun, reason: EndReason, about: Explanation) => void
  /** The run is over. Comes before its agent hears that its questions have no answer. */
  ended: (run: LiveRun, reason: EndReason) => void
}

const outputLost =
  'The run wrote more while it waited than the intern retains, so it cannot be resumed: it has ended. Send a new prompt.'

type Stream = AsyncIterableIterator<TurnEvent>
type RunOptions = { mode: ApprovalMode } & Pick<TurnCaller, 'activity' | 'background'> & {
    budget?: TurnBudget | undefined
  }

/** A run with all that hangs on it: its caller, its output, and the questions its agent waits for. */
export class LiveRun {
  readonly id: string
  readonly session: Session
  readonly mode: ApprovalMode
  /** Resolves when the agent has begun the turn, rejects with a `Refusal` when it does not. */
  readonly started: Promise<Stream>
  readonly #deps: LiveRunDeps
  readonly #outbox: Outbox
  readonly #start = Promise.withResolvers<Stream>()
  readonly #stream: Stream
  readonly #questions = new OpenQuestions()
  #state: RunState = newRun
  #wasLastAnswerDeclined = false
  /** Not before the last turn of its session is over for its agent, too: until then it does without one. */
  needsAgent = false
  /** Whether the caller wants to hear of the work besides the reply. */
  includesActivity: boolean
  /** Whether it goes on when its caller leaves. */
  #isInBackground: boolean
  #isAlone = true
  readonly #startedAt: number
  readonly #budget: RunBudget

  constructor(
    deps: LiveRunDeps,
    id: string,
    session: Session,
    { mode, activity = false, background = false, budget = {} }: RunOptions,
  ) {
    this.#deps = deps
    this.id = id
    this.session = session
    this.mode = mode
    this.includesActivity = activity
    this.#isInBackground = background
    this.#budget = new RunBudget(budget, deps.now)
    this.#startedAt = deps.now()
    this.#outbox = new Outbox(deps.limits, deps.backpressure)
    this.#stream = this.#attach()
    this.started = this.#start.promise
    this.started.catch(() => {})
  }

  state(): RunState {
    return this.#state
  }

  /** Whether the caller's last answer was a no. */
  wasLastAnswerDeclined(): boolean {
    return this.#wasLastAnswerDeclined
  }

  /** A rule refused something: to the agent that is a no like any other. */
  noteRuleRefusal(): void {
    this.#wasLastAnswerDeclined = true
  }

  /** Another run goes on beside this one: what is metered meanwhile may be of either. */
  shares(): void {
    this.#isAlone = false
  }

  get isInBackground(): boolean {
    return this.#isInBackground
  }

  /** Its caller is gone. */
  left(): void {
    if (!this.#isInBackground) this.apply({ type: 'client.disconnected', paused: false })
  }

  /** Lets something happen to the run, and does what follows. `explanation` is of an event that is a failure. */
  apply(event: RunEvent, explanation: Explanation = {}): void {
    const before = this.#state
    const after = step(before, event)
    this.#state = after
    if (after === before) return
    if (before.at === 'starting' && after.at !== 'ended') {
      this.#outbox.push(this.#greeting())
      for (const text of takeSessionNotes(this.session)) this.#outbox.push({ type: 'reasoning.added', text })
      this.#start.resolve(this.#stream)
    }
    if (after.at === 'waiting' && !(before.at === 'waiting' && before.question === after.question)) {
      const { question, deadlineAt } = after
      const action = this.#questions.actionOf(question.id)
      this.#tell({ type: 'question.asked', question, deadlineAt, ...(action && { action }) })
      this.#deps.timed(this)
    }
    if (after.at === 'running') this.works()
    else this.#budget.runs(false)
    if (after.at === 'ended') this.#end(before, after.reason, explanation)
  }

  /** Its agent is at work from now on. */
  works(): void {
    this.#budget.runs(true)
    if (this.#budget.limitsTime) this.#deps.timed(this)
  }

  /** When the time is over for which it waits, or may work. */
  endsAt(): number | undefined {
    return this.#state.at === 'waiting' ? this.#state.deadlineAt : this.#budget.timeIsUpAt()
  }

  /** Its time may be over. */
  tick(now: number): void {
    this.apply({ type: 'clock.ticked', now })
    if (this.#state.at === 'waiting' || this.#state.at === 'ended') return
    if (now >= (this.endsAt() ?? Number.POSITIVE_INFINITY)) this.overBudget('max_seconds')
  }

  /** What its agent says that it has cost so far. */
  cost(usd: number | undefined): void {
    const part = this.#budget.spentBy(usd)
    if (part) this.overBudget(part)
  }

  overBudget(budget: BudgetPart, neededUsd?: number): void {
    // So that the reply tells it, where the agent has said nothing yet.
    this.apply({ type: 'turn.started' })
    this.apply({ type: 'budget.spent' }, { budget, message: this.#budget.message(budget, neededUsd) })
  }

  /** Output for the caller. Nothing once the run has ended. */
  write(event: TurnEvent): void {
    this.apply({ type: 'output.written' })
    if (this.#state.at !== 'ended') this.#tell(event)
  }

  /** Asks the caller, now or when the questions before it are answered. */
  ask(described: Omit<PendingQuestion, 'reply'>, withdrawn: AbortSignal): Promise<unknown> {
    const { limits, now, asking, canWait } = this.#deps
    const { question } = described
    const isFull = this.#questions.count > limits.maxQueuedQuestions
    if (this.#state.at === 'ended' || isFull) return Promise.resolve(described.cancelled)
    refuseTooLarge(question)
    const deadlineAt = now() + limits.questionMs
    asking(this, described, deadlineAt)
    const { replied, reply } = this.#questions.add(described)
    withdrawn.addEventListener('abort', () => {
      reply(described.cancelled)
      this.apply({ type: 'question.withdrawn', questionId: question.id })
    })
    this.apply({ type: 'question.asked', question, deadlineAt, held: canWait() })
    return replied
  }

  /** All that a question of this run is about, as long as it waits. */
  whole(questionId: string): WholePermission | undefined {
    return this.#questions.whole(questionId)
  }

  /**
   * Attaches a caller and gives the agent its answer.
   * @throws Refusal, and then nothing has changed. Only where output was lost the run ends: nobody can resume it.
   */
  answer(questionId: string, answer: string, { by, activity = false, background = false }: TurnCaller = {}): Stream {
    const { limits, now } = this.#deps
    this.tick(now())
    const pending = this.#questions.waiting(questionId, this.#state)
    if (this.#outbox.overflowed()) {
      this.apply({ type: 'run.cancelled' }, { message: outputLost })
      throw new Refusal('output_lost', outputLost)
    }
    const reading = this.#read(pending, answer)
    const resumed = this.#attach(this.#greeting())
    this.#questions.remove(questionId)
    this.#wasLastAnswerDeclined = !reading.consent
    this.includesActivity = activity
    this.#isInBackground ||= background
    this.#deps.answered(this, pending.question, answer, by)
    this.apply({ type: 'answer.accepted', questionId, deadlineAt: now() + limits.questionMs })
    pending.reply(reading.value)
    return resumed
  }

  /** The caller reads too slowly to go on. */
  cutOff(): void {
    this.#outbox.abandon()
    this.left()
  }

  /** In the background nothing is kept for a caller who may never come: the transcript has it. */
  #tell(event: TurnEvent): void {
    if (!this.#isInBackground || this.#outbox.attached()) this.#outbox.push(event)
  }

  #read(pending: PendingQuestion, answer: string): ReturnType<PendingQuestion['read']> {
    try {
      return pending.read(answer)
    } catch (error) {
      this.apply({ type: 'answer.refused', questionId: pending.question.id })
      throw error
    }
  }

  #greeting(): TurnEvent {
    return { type: 'turn.started', runId: this.id, sessionId: this.session.id, model: this.session.model }
  }

  #attach(first?: TurnEvent): Stream {
    return this.#outbox.attach(first, () => this.left())
  }

  #end(before: RunState, wanted: EndReason, told: Explanation): void {
    const about = { ...told, meteredSince: this.#isAlone ? this.#startedAt : undefined }
    const { reason, explanation } = savedEnd((why) => this.#deps.ending(this, why, about), wanted, about)
    const closing = closingEvent(reason, { model: this.session.model, usage: null, ...explanation })
    if (before.at === 'starting') {
      this.#outbox.abandon()
      this.#start.reject(refusalFor(reason, explanation))
    } else if (closing && this.#outbox.attached()) this.#outbox.push(closing)
    else this.#outbox.abandon()
    this.#deps.ended(this, reason)
    this.#questions.cancelAll()
  }
}
