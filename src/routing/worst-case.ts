import type { Endpoint, Prices } from '#catalogue/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { costOf } from './cost.ts'
import { mostPromptTokens } from './most-prompt-tokens.ts'
import type { Target } from './plan.ts'
import type { Body, Wire } from './wire.ts'

/** A request as it is sent on: in the client's own words to those who speak them, as a chat to all others. */
export type Asked = { chat: ChatRequest; body: Body }

type WireOf = (endpoint: Endpoint) => Pick<Wire, 'answerLimit'> | undefined

/** The most a request may cost, by its dearest endpoint: what is set aside for it until it is known. */
export function worstCase({ chat, body }: Asked, targets: readonly Target[], wireOf: WireOf): PicoUsd {
  const prompt = mostPromptTokens(body)
  const answers = answersOf(chat)
  let most = 0n
  for (const { endpoint } of targets) {
    const completion =
      wireOf(endpoint)?.answerLimit(chat, endpoint) ?? endpoint.maxCompletionTokens ?? endpoint.contextLength
    const tokens = {
      prompt: Math.min(prompt, endpoint.contextLength),
      completion: completion * answers,
      cached: 0,
      reasoning: 0,
    }
    const plain = { ...tokens, cacheWritten: 0 }
    const ways = [plain]
    if (writingCosts(endpoint.prices)) ways.push({ ...tokens, cacheWritten: tokens.prompt })
    if (endpoint.prices.reasoning !== undefined) ways.push({ ...plain, reasoning: tokens.completion })
    for (const way of ways) {
      const cost = costOf(endpoint.prices, way)
      if (cost > most) most = cost
    }
  }
  return most
}

function writingCosts({ cacheWrite, tiers }: Prices): boolean {
  return cacheWrite !== undefined || tiers?.some((tier) => tier.cacheWrite !== undefined) === true
}

/** Those a provider only chooses among cost as much as those it gives. */
function answersOf({ n, best_of: candidates }: ChatRequest): number {
  return Math.max(1, n ?? 1, candidates ?? 1)
}
