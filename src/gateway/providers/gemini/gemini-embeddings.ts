import type { ChatRequest } from '#chat/chat-request.ts'
import { tokenIdsOf } from '#chat/tokens/token-ids.ts'
import { Fault } from '#platform/core/fault.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import type { Body } from '../../protocol/request-body.ts'
import { embeddingsProtocol, readVectorFormat } from '../embeddings/embeddings-protocol.ts'
import { type EmbeddingsLayout, EmbeddingsReader } from '../embeddings/embeddings-reader.ts'
import { defaultErrorMessage, errorWithoutResponse } from '../errors/error-event.ts'
import { usageEvents } from '../token-counts.ts'
import { encodeParts } from './gemini-contents.ts'

/** Gemini refuses longer lists. */
const maxBatch = 100

/** The embeddings of Google Gemini, natively. */
export const geminiEmbeddings: ProviderProtocol = {
  ...embeddingsProtocol,
  encode: (chat, { endpoint, credential }) => {
    const { messages } = chat
    if (messages.length > maxBatch)
      throw new Fault(
        'invalid',
        `Invalid request: input: ${endpoint.provider} takes at most ${maxBatch} inputs at once.`,
      )
    const model = `models/${endpoint.upstreamModel}`
    const options = {
      taskType: encodeTaskType(chat.input_type),
      outputDimensionality: chat.dimensions as number | null | undefined,
    }
    const requests = messages.map((message) =>
      withoutNulls({ model, content: encodeContent(message, endpoint.provider), ...options }),
    )
    return {
      path: `/${model}:batchEmbedContents`,
      headers: { ...(credential !== undefined && { 'x-goog-api-key': credential }) },
      body: { requests },
      dropped: chat.user == null ? [] : ['user'],
      createBodyReader: () => new EmbeddingsReader(layout, messages.length, readVectorFormat(chat)),
    }
  },
}

function encodeContent({ content }: ChatRequest['messages'][number], provider: string): Body {
  const [first] = Array.isArray(content) ? content : []
  if (first && tokenIdsOf(first))
    throw new Fault('invalid', `Invalid request: input: ${provider} does not accept token ids. Send the text.`)
  return { parts: encodeParts(content) }
}

/** Gemini's task types for the values of `input_type` that other providers have. Gemini's own names pass. */
const taskTypes = new Map([
  ['search_query', 'RETRIEVAL_QUERY'],
  ['query', 'RETRIEVAL_QUERY'],
  ['search_document', 'RETRIEVAL_DOCUMENT'],
  ['document', 'RETRIEVAL_DOCUMENT'],
  ['passage', 'RETRIEVAL_DOCUMENT'],
])

function encodeTaskType(type: unknown): string | undefined {
  return typeof type === 'string' ? (taskTypes.get(type.toLowerCase()) ?? type.toUpperCase()) : undefined
}

const layout: EmbeddingsLayout = {
  list: 'embeddings',
  vector: 'values',
  readEnvelope(envelope) {
    if (!Array.isArray(envelope.embeddings))
      return [errorWithoutResponse(envelope, envelope.error ? defaultErrorMessage : 'it has no embeddings')]
    const { promptTokenCount } = (envelope.usageMetadata ?? {}) as { promptTokenCount?: unknown }
    return usageEvents({ prompt: promptTokenCount ?? 0, completion: 0 })
  },
}
