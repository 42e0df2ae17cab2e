import type { PermissionDetails } from '#interns/contract/question.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Action } from '#interns/contract/rules/rule.ts'
import type { RunState } from '#interns/contract/run.ts'
import type { ParsedAnswer, PendingQuestion, QuestionToAsk } from './pending-question.ts'

/** The questions of one run: the question that was sent to the caller, and the queued questions. */
export class RunQuestions {
  readonly #pending = new Map<string, PendingQuestion>()
  readonly #questionIds = new Set<string>()
  readonly #withdrawnIds = new Set<string>()
  #wasLastRequestDeclined = false

  get pendingCount(): number {
    return this.#pending.size
  }

  /** Whether the run asked this question, even if it was answered since. */
  hasQuestion(questionId: string): boolean {
    return this.#questionIds.has(questionId)
  }

  /** Whether the agent's last request was declined, by the caller or without a question. */
  get wasLastRequestDeclined(): boolean {
    return this.#wasLastRequestDeclined
  }

  /** Notes that a request was allowed or declined without a question to the caller. */
  noteDecision(isAllowed: boolean): void {
    this.#wasLastRequestDeclined = !isAllowed
  }

  /** @returns a promise of the reply for the agent, and the function that resolves it. */
  add(questionToAsk: QuestionToAsk): { replied: Promise<unknown>; reply: (value: unknown) => void } {
    const { promise: replied, resolve: reply } = Promise.withResolvers<unknown>()
    this.#questionIds.add(questionToAsk.question.id)
    this.#pending.set(questionToAsk.question.id, { ...questionToAsk, reply })
    return { replied, reply }
  }

  /** The complete content of a pending permission. */
  permissionDetails(questionId: string): PermissionDetails | undefined {
    return this.#pending.get(questionId)?.details
  }

  actionOf(questionId: string): Action | undefined {
    return this.#pending.get(questionId)?.action
  }

  /** The question that the run waits for. @throws Refusal if the run waits for another question, or for no answer. */
  requireWaiting(questionId: string, state: RunState): PendingQuestion {
    const pending = this.#pending.get(questionId)
    if (state.at === 'waiting' && state.question.id === questionId && pending) return pending
    if (state.at === 'running')
      throw new Refusal('already_attached', 'Another request has answered this question and is attached to the run.')
    throw new Refusal('interaction_not_pending', 'This question is no longer waiting for an answer.')
  }

  /** Removes a question that was answered. */
  removeAnswered(questionId: string, { isConsent }: ParsedAnswer): void {
    this.#pending.delete(questionId)
    this.#wasLastRequestDeclined = !isConsent
  }

  /** Cancels a question that the agent withdrew. @returns whether it was pending. */
  withdraw(questionId: string): boolean {
    const pending = this.#pending.get(questionId)
    if (!pending) return false
    this.#pending.delete(questionId)
    this.#withdrawnIds.add(questionId)
    pending.reply(pending.cancelledReply)
    return true
  }

  wasWithdrawn(questionId: string): boolean {
    return this.#withdrawnIds.has(questionId)
  }

  /** Cancels all pending questions. */
  cancelAll(): void {
    for (const { reply, cancelledReply } of this.#pending.values()) reply(cancelledReply)
    this.#pending.clear()
  }
}
