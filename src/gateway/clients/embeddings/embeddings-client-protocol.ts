import { EmbeddingsRequest } from '#chat/embeddings-request.ts'
import type { ClientProtocol } from '../../protocol/client-protocol.ts'
import { withoutStreams } from '../without-streams.ts'
import { embeddingsPreset } from './preset.ts'
import { Embeddings } from './schema.ts'
import { embeddingsToChat } from './to-chat.ts'
import { toEmbeddingsUsage, writeEmbeddings } from './write-response.ts'

/** The client protocol of OpenAI embeddings. */
export const embeddingsClientProtocol: ClientProtocol = {
  ...withoutStreams,
  protocol: 'embeddings',
  task: 'embeddings',
  operation: {
    id: 'createEmbeddings',
    path: '/embeddings',
    summary: 'Create embeddings',
    description:
      'The OpenAI Embeddings API for every model with the output modality `embeddings`: one vector for each text, list of token ids or list of parts. Guardrails, limits, presets and provider preferences apply as to completions. Unknown fields are forwarded unchanged.',
    request: EmbeddingsRequest,
    // Each token id is one part, and OpenAI accepts 300,000 of them. They cost little time, because no stage reads them one by one.
    maxBodyParts: 500_000,
    response: Embeddings,
  },
  // The field of the chat request, in which each input is a message.
  conversation: 'messages',
  apiType: 'embeddings',
  hasSeparateContexts: true,
  toChat: embeddingsToChat,
  preset: embeddingsPreset,
  toUsage: toEmbeddingsUsage,
  writeBody: writeEmbeddings,
}
