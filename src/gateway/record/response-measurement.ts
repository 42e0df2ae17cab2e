import type { Measurement } from '#catalogue/measurements/measurement.ts'
import type { TokenCounts } from '#chat/events.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import { computeLimitedUsage } from './charge/billed-usage.ts'
import type { ResponseCounter } from './response-counter.ts'
import type { TriedEndpoint } from './tried-endpoint.ts'

/** `at` is in milliseconds since the epoch, all other times are of the monotonic clock. */
type ResponseTimes = { at: number; sentAt: number; endedAt: number }

/**
 * The measurement of an endpoint from a complete response. It uses the billed tokens, because an impossibly high count
 * would make the endpoint look fastest.
 * @param isStreamed A response that is not streamed has no time to first token and no throughput.
 */
export function createResponseMeasurement(
  { target: { endpoint, model }, bound }: TriedEndpoint,
  counter: Pick<ResponseCounter, 'result' | 'speedOf'>,
  isStreamed: boolean,
  { at, sentAt, endedAt }: ResponseTimes,
): Measurement {
  const { firstTokenAt, reportedTokens, isFinal, bytes, reasoningBytes, finish, extras } = counter.result()
  const billedTokens = reportedTokens && computeLimitedUsage(endpoint.prices, reportedTokens, extras, bound).tokens
  // Reasoning that the response does not contain was generated before the first token.
  const hiddenTokens = reasoningBytes === 0 ? (billedTokens?.reasoning ?? 0) : 0
  const generated = generatedTokens(isFinal ? billedTokens : undefined, hiddenTokens)
  const speed = isStreamed && generated > 0 ? counter.speedOf(generated) : undefined
  return {
    endpointId: endpoint.id,
    modelId: model.id,
    at,
    outcome: 'success',
    ...(isStreamed &&
      firstTokenAt !== undefined && { firstTokenMs: firstTokenAt - sentAt, generationMs: endedAt - firstTokenAt }),
    promptTokens: billedTokens?.prompt ?? 0,
    completionTokens: billedTokens?.completion ?? estimateTokens(bytes),
    generatedTokens: generated,
    ...(speed !== undefined && { speed }),
    calledTools: finish === 'tool_calls',
  }
}

/**
 * The tokens that were generated while the response was read. 0 without a count of the whole response, because the measured
 * speed limits charges.
 */
function generatedTokens(counts: TokenCounts | undefined, hiddenTokens: number): number {
  return counts ? Math.max(0, counts.completion - hiddenTokens) : 0
}
