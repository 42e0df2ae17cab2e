import type { WholePermission } from '#interns/contract/question.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { Action } from '#interns/contract/rules/rule.ts'
import type { RunState } from '#interns/contract/run.ts'
import type { PendingQuestion } from './pending-question.ts'

/** The questions of one run that its agent waits for, asked or queued. */
export class OpenQuestions {
  readonly #pending = new Map<string, PendingQuestion>()

  get count(): number {
    return this.#pending.size
  }

  /** @returns the agent's reply, when there is one. */
  add(described: Omit<PendingQuestion, 'reply'>): { replied: Promise<unknown>; reply: (value: unknown) => void } {
    const { promise: replied, resolve: reply } = Promise.withResolvers<unknown>()
    this.#pending.set(described.question.id, { ...described, reply })
    return { replied, reply }
  }

  whole(questionId: string): WholePermission | undefined {
    return this.#pending.get(questionId)?.whole
  }

  actionOf(questionId: string): Action | undefined {
    return this.#pending.get(questionId)?.action
  }

  /** The question that a run waits with. @throws Refusal where it waits with another, or with none. */
  waiting(questionId: string, state: RunState): PendingQuestion {
    const pending = this.#pending.get(questionId)
    if (state.at === 'waiting' && state.question.id === questionId && pending) return pending
    if (state.at === 'running')
      throw new Refusal('already_attached', 'Another request has answered this question and is attached to the run.')
    throw new Refusal('interaction_not_pending', 'This question is no longer waiting for an answer.')
  }

  /** An answer to it was taken. */
  remove(questionId: string): void {
    this.#pending.delete(questionId)
  }

  /** None of them is answered any more. */
  cancelAll(): void {
    for (const { reply, cancelled } of this.#pending.values()) reply(cancelled)
    this.#pending.clear()
  }
}
