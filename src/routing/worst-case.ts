import type { Prices } from '#catalogue/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { costOf } from './cost.ts'
import type { Target } from './plan.ts'

/** What a part that is not text may count as, in tokens: nobody can know before the provider says. */
const tokensOfMedia = 4096

/** Tokens a message has beside its text. */
const tokensOfFrame = 16

/** The most a request may cost, by its dearest endpoint: what is set aside for it until it is known. */
export function worstCase(chat: ChatRequest, targets: readonly Target[]): PicoUsd {
  const prompt = mostPromptTokens(chat)
  let most = 0n
  for (const { endpoint } of targets) {
    const completion =
      chat.max_completion_tokens ?? chat.max_tokens ?? endpoint.maxCompletionTokens ?? endpoint.contextLength
    const tokens = {
      prompt: Math.min(prompt, endpoint.contextLength),
      completion: completion * answersOf(chat),
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

function answersOf(chat: ChatRequest): number {
  const { n } = chat as { n?: unknown }
  return typeof n === 'number' && n > 1 ? n : 1
}

/** No token is shorter than a byte. */
function mostPromptTokens(chat: ChatRequest): number {
  let tokens = chat.tools ? Buffer.byteLength(JSON.stringify(chat.tools)) : 0
  for (const message of chat.messages) {
    tokens += tokensOfFrame
    if (typeof message.content === 'string') tokens += Buffer.byteLength(message.content)
    else
      for (const part of message.content ?? [])
        tokens += part.text === undefined ? tokensOfMedia : Buffer.byteLength(part.text)
    if (message.role === 'assistant' && message.tool_calls)
      tokens += Buffer.byteLength(JSON.stringify(message.tool_calls))
  }
  return tokens
}
