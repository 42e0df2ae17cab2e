import { answerLimitOf } from '#chat/answer-limit.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Forms } from '../../pricing/bill.ts'

/**
 * So many tokens an answer may have where the longest finds no room in what a turn of an intern may still cost: a turn ends when its
 * money does, and not because its agent names no limit. With less than the last it would be no answer.
 */
const lengths = [64_000, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000]

/** A request with a shorter answer, and the most that it may cost. */
export type ShorterAnswer = { asked: Forms; cost: PicoUsd }

/** The request with ever shorter answers that cost less than `most`; none where it names a limit of its own, which is kept. */
export function* shorterAnswers(
  asked: Forms,
  most: PicoUsd,
  costOf: (asked: Forms) => PicoUsd,
): Generator<ShorterAnswer, undefined> {
  if (answerLimitOf(asked.body) !== undefined || answerLimitOf(asked.chat) !== undefined) return
  for (const tokens of lengths) {
    const shorter = withLimit(asked, tokens)
    const cost = costOf(shorter)
    if (cost < most) yield { asked: shorter, cost }
  }
}

/** Each provider gets the limit under the name that it knows. */
function withLimit(asked: Forms, max_tokens: number): Forms {
  const chat = { ...asked.chat, max_tokens }
  // A body that is its own chat request stays that.
  return { ...asked, chat, body: asked.body === asked.chat ? chat : { ...asked.body, max_tokens } }
}
