import type { CompletionEvent } from '#chat/events.ts'

export type Finish = Extract<CompletionEvent, { type: 'finish' }>

/** Decides when the finish event of one response is sent, and with which reason. */
export class ResponseEnding {
  /** The maximum tokens of the response. */
  readonly #outputLimit: number
  #completionTokens = 0
  /** A finish event that arrived while a call was incomplete. It is sent after the last fragment. */
  #held: Finish | undefined
  /** The finish event that was sent to the client. */
  #reported: Finish | undefined
  #isTruncated = false

  constructor(outputLimit = Number.POSITIVE_INFINITY) {
    this.#outputLimit = outputLimit
  }

  /** Whether the response ended at its limit or by a content filter, so that its calls can be truncated. */
  get isTruncated(): boolean {
    return this.#isTruncated
  }

  /** Records the facts that decide whether an incomplete call is an error. */
  note(event: CompletionEvent): void {
    if (event.type === 'usage') this.#completionTokens = event.tokens.completion
    else if (event.type === 'finish' && (event.reason === 'length' || event.reason === 'content_filter'))
      this.#isTruncated = true
  }

  hold(finish: Finish): void {
    this.#held = finish
  }

  /** Gives a held finish event the reason `length` if the usage shows that the response reached its limit. */
  truncateAtLimit(): void {
    if (!this.#held || this.#completionTokens < this.#outputLimit) return
    this.#held = { ...this.#held, reason: 'length' }
    this.#isTruncated = true
  }

  /**
   * The finish event for the client; none if it was sent already. Some upstreams repeat it, and clients would join the
   * reasons. A repetition beside text is sent, because upstream events with the same bytes must have the same content.
   */
  report(finish: Finish, { hasCalls, isBesideText }: { hasCalls: boolean; isBesideText: boolean }): Finish[] {
    this.#held = undefined
    const reported = withFittingReason(finish, hasCalls)
    if (reported.reason === this.#reported?.reason && !isBesideText) return []
    this.#reported = reported
    return [reported]
  }

  /** The finish event at the end of the response: the held one, or a correction of the one that was sent. */
  end(hasCalls: boolean): Finish[] {
    if (this.#held) return [withFittingReason(this.#held, hasCalls)]
    if (!this.#reported) return []
    const corrected = withFittingReason(this.#reported, hasCalls)
    return corrected === this.#reported ? [] : [corrected]
  }
}

/** The finish event with a reason that fits the calls: agents run tools only after `tool_calls`, and need calls then. */
function withFittingReason(finish: Finish, hasCalls: boolean): Finish {
  if (finish.reason === 'stop' && hasCalls) return { ...finish, reason: 'tool_calls' }
  return finish.reason === 'tool_calls' && !hasCalls ? { ...finish, reason: 'stop' } : finish
}
