/** The kinds of faults. `http/response/faults.ts` maps them to HTTP statuses. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'range_not_satisfiable'
  | 'upgrade_required'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'bad_gateway'
  | 'client_closed_request'
  | 'unavailable'
  | 'gateway_timeout'

/** Members of the error's `metadata`, and values for its headers. Must not contain secrets or stacks. */
export type FaultDetails = {
  metadata?: Record<string, unknown>
  /** The error type that clients of OpenAI know. */
  type?: string
  retryAfterSeconds?: number
  headers?: Record<string, string>
}

/** An error for the caller. The message says what is wrong, where, and what to do. */
export class Fault extends Error {
  readonly kind: FaultKind
  readonly details: FaultDetails

  constructor(kind: FaultKind, message: string, details: FaultDetails = {}) {
    super(message)
    this.name = 'Fault'
    this.kind = kind
    this.details = details
  }
}

/** The fault of a request whose client has disconnected. Nobody reads it, but logs and metrics have its status. */
export const clientClosedFault = () =>
  new Fault('client_closed_request', 'The client disconnected before the response.')

/**
 * An error for the person at the terminal. It ends a command or the start of a service. Its message is printed as it is (exit
 * code 1, no stack).
 */
export class UserFacingError extends Error {
  override readonly name = 'UserFacingError'
}
