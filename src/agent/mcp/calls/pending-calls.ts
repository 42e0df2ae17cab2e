import type { Elicitation, FormAnswer, ToolContext } from '../../tools/tool.ts'
import type { CallTimer } from './call-timer.ts'

type QuestionContext = Pick<ToolContext, 'elicit' | 'signal'>
type PendingCall = { context: QuestionContext; timer: CallTimer }

/**
 * The calls of an MCP server in flight. MCP does not say to which call a question of the server belongs, so the question is asked
 * during the latest call. Meanwhile the timers of all calls are paused, because the server can block all of them.
 */
export class PendingCalls {
  readonly #calls = new Set<PendingCall>()
  /** The open questions of the server. All are withdrawn when the last call has ended. */
  readonly #questions = new Set<AbortController>()

  get isAsking(): boolean {
    return this.#questions.size > 0
  }

  async track<T>(call: PendingCall, work: () => Promise<T>): Promise<T> {
    this.#calls.add(call)
    try {
      return await work()
    } finally {
      call.timer.end()
      this.#calls.delete(call)
      if (this.#calls.size === 0) for (const question of this.#questions) question.abort()
    }
  }

  /** Asks the user a question of the server. Cancels it outside of a call, because there is no turn in which a user sees it. */
  async ask(question: Elicitation, withdrawal: AbortSignal): Promise<FormAnswer> {
    const call = [...this.#calls].at(-1)
    return call ? this.askDuringCall(call.context, question, withdrawal) : { action: 'cancel' }
  }

  /** Asks the user in the turn of a call. */
  async askDuringCall(
    context: QuestionContext,
    question: Elicitation,
    withdrawal = context.signal,
  ): Promise<FormAnswer> {
    const controller = new AbortController()
    const paused = [...this.#calls]
    this.#questions.add(controller)
    for (const { timer } of paused) timer.pause()
    try {
      return await context.elicit(question, AbortSignal.any([withdrawal, controller.signal]))
    } finally {
      this.#questions.delete(controller)
      for (const call of paused) if (this.#calls.has(call)) call.timer.resume()
    }
  }
}
