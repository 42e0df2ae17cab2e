import type { TokenCounts } from '#chat/events.ts'
import type { Fault } from '#platform/core/fault.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import type { Target } from '../plan/plan.ts'
import type { ResponseHead, StreamWriter, WholeBody } from '../protocol/client-protocol.ts'
import { StreamRelay } from '../protocol/relay-stream.ts'
import { WholeRelay } from '../protocol/relay-whole.ts'
import type { AttemptRecord } from '../record/attempt-record.ts'
import type { TriedEndpoint } from '../record/tried-endpoint.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { performAttempt } from './attempt.ts'
import type { EncodedAttempt } from './attempt-request.ts'
import { setDroppedFieldsHeader } from './dropped-fields-header.ts'
import { type AttemptFailure, toClientFault } from './failure/failure.ts'
import type { Upstreams } from './upstream/upstream.ts'

/** A whole response; undefined if it was streamed. */
export type ModelResponse = WholeBody | undefined

type SendDeps = { catalogue: Catalogue<ProviderLookup>; upstreams: Upstreams; now: () => number }

export type SendOutcome = { kind: 'response'; response: ModelResponse } | { kind: 'failed'; failure: AttemptFailure }

/** Sends a streamed request to one endpoint and relays the response. */
export async function sendStreamed(
  deps: SendDeps,
  admitted: AdmittedRequest,
  { attemptRequest, passesResponse, droppedFields, triedEndpoint, attemptRecord }: EncodedAttempt,
): Promise<SendOutcome> {
  const { call, client, response, record, content, decision } = admitted
  const { chat } = admitted.reservation.request
  const { target } = triedEndpoint
  const relay = new StreamRelay(response, {
    client,
    head: createResponseHead(deps, admitted, target),
    passesResponse,
    includeUsage: chat.stream_options?.include_usage === true || chat.usage?.include === true,
    count: content ? content.startResponse(attemptRecord.count) : attemptRecord.count,
    countText: attemptRecord.countText,
    needsText: content !== undefined,
    started: () => {
      setDroppedFieldsHeader(response, [...decision.removedFields, ...droppedFields])
      call.source?.release()
    },
    price: createCostReport(attemptRecord, triedEndpoint),
  })
  response.onRevoked((fault) => endWithError(admitted, relay.flushAndContinue(), fault))
  const { outcome, timings } = await performAttempt(deps, attemptRequest, relay, response.signal)
  record.attempts.noteTimings(timings)
  const hasClientLeft = response.signal.aborted
  if (outcome.kind === 'unanswered') {
    record.failAttempt(attemptRecord, triedEndpoint, { failure: outcome.failure, hasClientLeft })
    return { kind: 'failed', failure: outcome.failure }
  }
  const failure = outcome.kind === 'broken_off' ? outcome.failure : undefined
  record.finishAttempt(attemptRecord, triedEndpoint, { failure, hasClientLeft, isFullyRead: !relay.wasThrottled })
  if (failure) {
    const fault = toClientFault(failure, target)
    // A disconnect or a revocation truncates the response, which looks like a failure of the provider. `complete` notes the
    // cause of a revocation.
    if (!hasClientLeft) record.noteCause(fault)
    endWithError(admitted, relay.flushAndContinue(), fault)
  }
  return { kind: 'response', response: undefined }
}

/** Sends a request to one endpoint and returns the whole response. */
export async function sendWhole(
  deps: SendDeps,
  admitted: AdmittedRequest,
  { attemptRequest, passesResponse, droppedFields, triedEndpoint, attemptRecord }: EncodedAttempt,
): Promise<SendOutcome> {
  const { client, response, record, content, decision } = admitted
  const relay = new WholeRelay({
    client,
    head: createResponseHead(deps, admitted, triedEndpoint.target),
    passesResponse,
    count: content ? content.startResponse(attemptRecord.count) : attemptRecord.count,
    price: createCostReport(attemptRecord, triedEndpoint),
  })
  const { outcome, timings } = await performAttempt(deps, attemptRequest, relay, response.signal)
  record.attempts.noteTimings(timings)
  const hasClientLeft = response.signal.aborted
  if (outcome.kind !== 'complete') {
    // Nothing has reached the client, so the next endpoint can be tried.
    record.failAttempt(attemptRecord, triedEndpoint, { failure: outcome.failure, hasClientLeft })
    return { kind: 'failed', failure: outcome.failure }
  }
  setDroppedFieldsHeader(response, [...decision.removedFields, ...droppedFields])
  record.finishAttempt(attemptRecord, triedEndpoint, { failure: undefined, hasClientLeft, isFullyRead: true })
  return { kind: 'response', response: relay.body }
}

/** Computes the cost that the response reports, which equals the charged cost. */
function createCostReport(attemptRecord: AttemptRecord, triedEndpoint: TriedEndpoint) {
  return (tokens: TokenCounts) => ({ costUsd: toUsd(attemptRecord.costAt(triedEndpoint, tokens)) })
}

/** The facts of a response that do not come from the upstream. */
export function createResponseHead(
  { catalogue }: { catalogue: Catalogue<ProviderLookup> },
  { record, reservation }: Pick<AdmittedRequest, 'record' | 'reservation'>,
  { model, endpoint }: Target,
): ResponseHead {
  const createdSeconds = Math.floor(record.createdAt / 1000)
  const provider = catalogue.current().findProvider(endpoint.provider)?.name ?? endpoint.provider
  return { id: record.id, model: model.id, provider, createdSeconds, request: reservation.request.body }
}

/** Ends an open stream with an error event. */
export function endWithError(
  { response }: Pick<AdmittedRequest, 'response'>,
  writer: StreamWriter,
  fault: Fault,
): void {
  if (!response.isOpen) return
  const { metadata } = fault.details
  response.write(writer.fail({ code: faultStatus[fault.kind], message: fault.message, ...(metadata && { metadata }) }))
  response.end()
}
