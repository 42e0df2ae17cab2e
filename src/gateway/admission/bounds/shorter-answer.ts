import { answerLimitOf } from '#chat/tokens/answer-limit.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { RequestForms } from '../../pricing/extra-usage-bound.ts'

/**
 * Answer lengths in tokens that are tried if the longest answer exceeds the remaining budget of an intern's turn. Without
 * them, a turn would end early only because its agent sets no limit.
 */
const answerLengths = [64_000, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000]

/** A request with a shorter answer, and its highest cost. */
export type ShortenedRequest = { request: RequestForms; cost: PicoUsd }

/**
 * Yields the request with ever shorter answers, each cheaper than the original request. The caller tests whether one fits the
 * budget. Yields nothing if the request sets a limit itself.
 */
export function* shorterAnswers(
  request: RequestForms,
  originalCost: PicoUsd,
  costOf: (request: RequestForms) => PicoUsd,
): Generator<ShortenedRequest, undefined> {
  if (answerLimitOf(request.body) !== undefined || answerLimitOf(request.chat) !== undefined) return
  for (const tokens of answerLengths) {
    const shorter = withLimit(request, tokens)
    const cost = costOf(shorter)
    if (cost < originalCost) yield { request: shorter, cost }
  }
}

/** Adds the limit to both forms. The encoders translate it. */
function withLimit(request: RequestForms, max_tokens: number): RequestForms {
  const chat = { ...request.chat, max_tokens }
  // If both forms are one object, they stay one.
  return { ...request, chat, body: request.body === request.chat ? chat : { ...request.body, max_tokens } }
}
