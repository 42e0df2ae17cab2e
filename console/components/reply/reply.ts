type ToolCall = { name: string; input: string }

/** The reply of a model, perhaps incomplete. Times are in milliseconds since the request. */
export type Reply = {
  state: 'waiting' | 'streaming' | 'complete' | 'stopped' | 'failed'
  text: string
  reasoning: string
  calls: ToolCall[]
  images: string[]
  /** The id in the request log. */
  generationId?: string | undefined
  model?: string
  provider?: string
  finish?: string
  firstMs?: number
  totalMs?: number
  usage?: { prompt: number; completion: number; cost: number | undefined }
  failure?: { message: string; reason?: string | undefined; requestId?: string | undefined }
}

export const emptyReply: Reply = { state: 'waiting', text: '', reasoning: '', calls: [], images: [] }

type Delta = {
  content?: string | null
  reasoning?: string | null
  refusal?: string | null
  images?: { image_url?: { url?: string } }[]
  tool_calls?: { index: number; function?: { name?: string; arguments?: string } }[]
}
export type Chunk = {
  model?: string
  provider?: string
  choices?: { delta?: Delta; finish_reason?: string | null }[]
  usage?: { prompt_tokens: number; completion_tokens: number; cost?: number } | null
  error?: { message: string; metadata?: Record<string, unknown> }
}

/** Returns the reply with one more chunk. */
export function appendChunk(reply: Reply, { model, provider, choices, usage, error }: Chunk, ms: number): Reply {
  const [choice] = choices ?? []
  const next: Reply = { ...reply, ...(model && { model }), ...(provider && { provider }) }
  if (choice?.delta) addDelta(next, choice.delta)
  if (choice?.finish_reason) next.finish = choice.finish_reason
  if (usage) next.usage = { prompt: usage.prompt_tokens, completion: usage.completion_tokens, cost: usage.cost }
  if (next.firstMs === undefined && hasContent(next)) next.firstMs = ms
  if (error)
    return {
      ...next,
      state: 'failed',
      failure: { message: error.message, reason: reasonIn(error.metadata) },
      totalMs: ms,
    }
  return { ...next, state: 'streaming' }
}

function addDelta(reply: Reply, { content, reasoning, refusal, images = [], tool_calls = [] }: Delta): void {
  reply.text += (content ?? '') + (refusal ?? '')
  reply.reasoning += reasoning ?? ''
  if (images.length > 0) reply.images = [...reply.images, ...images.flatMap(({ image_url }) => image_url?.url ?? [])]
  if (tool_calls.length === 0) return
  reply.calls = [...reply.calls]
  for (const { index, function: functionCall } of tool_calls) {
    const previousCall = reply.calls[index] ?? { name: '', input: '' }
    reply.calls[index] = {
      name: previousCall.name + (functionCall?.name ?? ''),
      input: previousCall.input + (functionCall?.arguments ?? ''),
    }
  }
}

const hasContent = ({ text, reasoning, calls, images }: Reply) =>
  text !== '' || reasoning !== '' || calls.length > 0 || images.length > 0

/** Marks a reply as complete, unless it failed. */
export const finishReply = (reply: Reply, ms: number): Reply =>
  reply.state === 'failed' ? reply : { ...reply, state: 'complete', totalMs: ms }

/** Tokens per second after the first token; undefined without enough data. */
export function tokensPerSecond({ usage, firstMs, totalMs }: Reply): number | undefined {
  if (!usage || firstMs === undefined || totalMs === undefined || totalMs - firstMs < 1) return undefined
  return usage.completion / ((totalMs - firstMs) / 1000)
}

/** The error message of the provider, if it caused the failure. */
export const reasonIn = (metadata: Record<string, unknown> | undefined): string | undefined =>
  typeof metadata?.raw === 'string' ? metadata.raw : undefined
