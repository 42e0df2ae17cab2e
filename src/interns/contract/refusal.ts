/** Reasons why access to a file is refused. They do not occur in chats. */
export const fileRefusals = {
  file_invalid: { code: 400, retryable: false },
  file_forbidden: { code: 403, retryable: false },
  file_unknown: { code: 404, retryable: false },
  file_conflict: { code: 409, retryable: false },
  file_too_large: { code: 413, retryable: false },
  file_range: { code: 416, retryable: false },
  disk_full: { code: 413, retryable: false },
  files_busy: { code: 503, retryable: true },
} as const

/** Reasons why an intern does not start or resume a turn, and their statuses. */
export const refusals = {
  bad_request: { code: 400, retryable: false },
  interaction_unknown: { code: 404, retryable: false },
  session_unknown: { code: 404, retryable: false },
  session_busy: { code: 409, retryable: true },
  /** Another turn of the session started after the budget of this turn was computed. */
  session_moved: { code: 409, retryable: true },
  interaction_not_pending: { code: 409, retryable: false },
  /** Another request has answered the question, and reads the reply. */
  already_attached: { code: 409, retryable: false },
  /** A waiting run wrote more than its daemon stores, so its reply cannot be complete. */
  output_lost: { code: 410, retryable: false },
  intern_rejected: { code: 502, retryable: false },
  turn_failed: { code: 502, retryable: false },
  stream_severed: { code: 502, retryable: true },
  /** The intern has too many waiting or background runs, or readers. */
  questions_full: { code: 503, retryable: true },
  intern_unreachable: { code: 502, retryable: true },
  /** The host of the intern is lost. */
  host_gone: { code: 503, retryable: true },
  intern_asleep: { code: 503, retryable: true },
  /** The agent did not answer in time while it started, or opened a session. */
  agent_not_ready: { code: 503, retryable: true },
  ...fileRefusals,
} as const
export type RefusalKind = keyof typeof refusals

/** The public reasons of kinds that have another name in the chat route. */
const publicReasons: Partial<Record<RefusalKind, string>> = {
  session_unknown: 'not_found',
  session_busy: 'busy',
  session_moved: 'busy',
  questions_full: 'busy',
  already_attached: 'attachment_failed',
  output_lost: 'attachment_failed',
  host_gone: 'intern_unreachable',
  intern_asleep: 'intern_not_ready',
  agent_not_ready: 'intern_not_ready',
}

/** A turn was not started, or an answer had no effect. `message` is for the caller. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly retryable: boolean

  constructor(kind: RefusalKind, message: string, retryable: boolean = refusals[kind].retryable) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.retryable = retryable
  }

  get code(): number {
    return refusals[this.kind].code
  }

  /** The reason in the chat route. */
  get reason(): string {
    return publicReasons[this.kind] ?? this.kind
  }
}
