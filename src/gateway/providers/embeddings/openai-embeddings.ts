import type { ChatRequest } from '#chat/chat-request.ts'
import type { CompletionEvent } from '#chat/events.ts'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { tokenIdsOf } from '#chat/tokens/token-ids.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../errors/error-event.ts'
import { chatUsageFormats } from '../openai/openai-usage.ts'
import { readCount, usageEvents } from '../token-counts.ts'
import { parseCounts, readCounts, type UsageObject } from '../usage-formats.ts'
import { embeddingsProtocol, readVectorFormat } from './embeddings-protocol.ts'
import { type EmbeddingsLayout, EmbeddingsReader } from './embeddings-reader.ts'

/** OpenAI's embeddings protocol, which most servers of chat completions also have. */
export const openaiEmbeddings: ProviderProtocol = {
  ...embeddingsProtocol,
  encode: (chat, { endpoint, credential }) => {
    const { upstreamModel } = endpoint
    const dropped = chat.input_type != null && refusesInputType.test(upstreamModel) ? ['input_type'] : []
    const { messages, encoding_format: _, ...fields } = chat as Body & Pick<ChatRequest, 'messages'>
    const format = readVectorFormat(chat)
    const body: Body = { model: upstreamModel, input: messages.map(encodeInput) }
    // Some providers refuse `encoding_format`, even with the default `float`.
    if (format !== 'float') body.encoding_format = format
    // Many servers refuse null for a setting without a value.
    for (const name in fields)
      if (fields[name] !== null && !isOmitted(name) && !dropped.includes(name)) body[name] = fields[name]
    return {
      path: '/embeddings',
      headers: { ...(credential !== undefined && { authorization: `Bearer ${credential}` }) },
      body,
      dropped,
      createBodyReader: () => new EmbeddingsReader(layout, messages.length, format),
    }
  },
}

/** Fields of this service, and the tags of a request: providers accept no `metadata` for embeddings. */
const isOmitted = (name: string) => name === 'model' || name === 'metadata' || serviceOnlyFields.has(name)

/** OpenAI's own models, which refuse `input_type`. Models that distinguish queries from documents need it. */
const refusesInputType = /^text-embedding-(?:3-|ada-)/

function encodeInput({ content }: ChatRequest['messages'][number]): unknown {
  const [first] = Array.isArray(content) ? content : []
  const tokenIds = first && tokenIdsOf(first)
  return tokenIds ?? (typeof content === 'string' ? content : { content })
}

const layout: EmbeddingsLayout = {
  list: 'data',
  vector: 'embedding',
  index: 'index',
  readEnvelope(envelope) {
    if (!Array.isArray(envelope.data))
      return [errorWithoutResponse(envelope, envelope.error ? defaultErrorMessage : 'it has no embeddings')]
    const { id, model, usage } = envelope as { id?: string; model?: string; usage?: UsageObject | null }
    return [{ type: 'started', id: id ?? '', model: model ?? '' }, ...readUsage(usage ?? {})]
  },
}

/** Counts all tokens as prompt tokens. Some servers report only `total_tokens`. */
function readUsage(usage: UsageObject): CompletionEvent[] {
  const { prompt, total, ...parts } = readCounts(parseCounts(usage), chatUsageFormats)
  return usageEvents({ ...parts, prompt: Math.max(readCount(prompt) ?? 0, readCount(total) ?? 0), completion: 0 })
}
