import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { BodiesWithProtocol } from '../../pricing/extra-usage-bound.ts'

/**
 * Response lengths in tokens that are tried if the longest response exceeds the remaining budget of an intern's turn. Without
 * them, a turn would end early only because its agent sets no limit.
 */
const responseLengths = [64_000, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000]

/** A request, the original one or with a shorter response, and the highest cost that it can have. */
export type PricedRequest = { request: BodiesWithProtocol; maxCost: PicoUsd }

/**
 * Yields variants of the request with a shorter response, the longest first, each cheaper than the original. Yields nothing if the
 * request itself limits the length of its response.
 */
export function* shorterVariants(
  { request, maxCost: originalCost }: PricedRequest,
  maxCostOf: (request: BodiesWithProtocol) => PicoUsd,
): Generator<PricedRequest, void> {
  if (outputLimitOf(request.body) !== undefined || outputLimitOf(request.chat) !== undefined) return
  for (const tokens of responseLengths) {
    const shorter = withLimit(request, tokens)
    const maxCost = maxCostOf(shorter)
    if (maxCost < originalCost) yield { request: shorter, maxCost }
  }
}

/** Adds the limit to both bodies. The encoders translate it. */
function withLimit(request: BodiesWithProtocol, max_tokens: number): BodiesWithProtocol {
  const chat = { ...request.chat, max_tokens }
  // If both bodies are one object, they stay one.
  return { ...request, chat, body: request.body === request.chat ? chat : { ...request.body, max_tokens } }
}
