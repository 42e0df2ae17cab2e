import type { Measurement } from '#catalogue/measurements/measurement.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { AnswerTally } from './answer-tally.ts'
import { billed } from './charge.ts'
import type { TriedEndpoint } from './tried-endpoint.ts'

/**
 * What a whole answer tells of its endpoint. Tokens are those that are charged: a count beyond what was possible would make
 * the fastest endpoint of any. Times are in milliseconds since the epoch.
 * @param streamed A whole answer comes at once: it says nothing of the first token, nor of the speed of the others.
 */
export function answerMeasurement(
  { target: { endpoint, model }, bound }: TriedEndpoint,
  { firstTokenAt, told, bytes, finish, extras }: Readonly<AnswerTally>,
  streamed: boolean,
  askedAt: number,
  at: number,
): Measurement {
  const counted = told && billed(endpoint.prices, told, extras, bound).tokens
  return {
    endpointId: endpoint.id,
    modelId: model.id,
    at,
    outcome: 'success',
    ...(streamed && firstTokenAt && { firstTokenMs: firstTokenAt - askedAt, generationMs: at - firstTokenAt }),
    promptTokens: counted?.prompt ?? 0,
    completionTokens: counted?.completion ?? estimateTokens(bytes),
    calledTools: finish === 'tool_calls',
  }
}
