import type { RevocableResponse } from '#platform/net/revocable-response.ts'
import type { PolicyDecision } from '../admission/policy.ts'
import type { RequestReservation } from '../admission/request-reservation.ts'
import type { CompletionCall } from '../completion-call.ts'
import type { ClientProtocol } from '../protocol/client-protocol.ts'
import type { ContentRecorder } from '../record/content-recorder.ts'
import type { RequestRecord } from '../record/request-record.ts'
import type { EndpointAccess } from '../request/endpoint-access.ts'

/** A request that can be sent: the policy permits it, its record is open, and its cost is reserved. */
export type AdmittedRequest = {
  call: Pick<CompletionCall, 'caller' | 'headers' | 'host' | 'pause' | 'source'>
  /** The protocol of the response. Plugins can wrap the client's protocol. */
  client: ClientProtocol
  response: RevocableResponse
  /** Fields of the preset that an upstream of the client's protocol does not get (`PreparedRequest`). */
  skippedPresetFields: readonly string[] | undefined
  decision: PolicyDecision
  record: RequestRecord
  /** The prompt and response to store; undefined if the policy stores none. */
  content: ContentRecorder | undefined
  access: EndpointAccess
  /** Contains the request to send, whose token limit can be lower than that of the decision. */
  reservation: RequestReservation
}
