import type { Caller } from '#identity/accounts/caller.ts'
import type { Pause } from '#platform/async/long-work.ts'
import type { JsonSource } from '#platform/json/json-text/json-source.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { TurnLimits } from './admission/turn-limits.ts'
import type { ClientProtocol, RequestHeaders } from './protocol/client-protocol.ts'
import type { Body } from './protocol/request-body.ts'

/** One request for a completion. */
export type CompletionCall = {
  caller: Caller
  client: ClientProtocol
  body: Body
  /** The bytes of the body, if they are available. */
  source?: JsonSource | undefined
  /**
   * Waits between two stages of the work, so that a long body does not block other requests. Undefined for a short body,
   * which is handled without waiting.
   */
  pause?: Pause | undefined
  headers: RequestHeaders
  requestId: string
  sessionId: string | undefined
  app: Generation['app']
  /** The client's span, from its `traceparent` header. */
  traceParent: string | undefined
  /** The host name that the client used. */
  host: string | undefined
  response: ResponseStream
  /** The remaining budgets of an intern's turn and session. */
  turns?: TurnLimits | undefined
}
