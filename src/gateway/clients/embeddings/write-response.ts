import type { ChatRequest } from '#chat/chat-request.ts'
import { type CompletionEvent, type TokenCounts, zeroTokens } from '#chat/events.ts'
import { estimatePrompt } from '#chat/tokens/prompt-size.ts'
import type { CostNote, ResponseHead } from '../../protocol/client-protocol.ts'

const closingBrace = Buffer.from('}')

export function toEmbeddingsUsage({ prompt }: TokenCounts): { prompt_tokens: number; total_tokens: number } {
  return { prompt_tokens: prompt, total_tokens: prompt }
}

/** Writes a response as bytes: the vectors are JSON already. */
export function writeEmbeddings(
  { id, model, provider, request }: ResponseHead,
  events: CompletionEvent[],
  cost: CostNote | undefined,
): Buffer {
  const pieces: Buffer[] = [Buffer.from('{"object":"list","data":[')]
  let index = 0
  for (const event of events) {
    if (event.type !== 'items') continue
    for (const vector of event.items) {
      pieces.push(
        Buffer.from(`${index > 0 ? ',' : ''}{"object":"embedding","index":${index},"embedding":`),
        vector,
        closingBrace,
      )
      index++
    }
  }
  const reported = events.find((event) => event.type === 'usage')?.tokens
  // Without a reported count, the cost is that of the estimate. The request of a task is a chat request, so the cast is safe.
  const prompt = reported?.prompt || estimatePrompt(request as ChatRequest)
  const usage = { ...toEmbeddingsUsage({ ...zeroTokens, prompt }), ...(cost && { cost: cost.costUsd }) }
  pieces.push(Buffer.from(`],${JSON.stringify({ id, model, provider, usage }).slice(1)}`))
  return Buffer.concat(pieces)
}
