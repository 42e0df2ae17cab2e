import type { ChatRequest } from '#chat/chat-request.ts'
import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { readErrorBodyMessage } from '../errors/error-message.ts'
import type { VectorFormat } from './vector-json.ts'

const throwNotEmbeddings = (): never => {
  throw new Error('it is a stream or a chat, and not a list of embeddings')
}

/** The fields that all protocols for embeddings share. Only the prompt is billed, and each input has its own context. */
export const embeddingsProtocol: Omit<ProviderProtocol, 'encode'> = {
  protocol: 'embeddings',
  outputLimit: () => 0,
  canReason: () => false,
  promptLimit: ({ messages }, { contextLength }) => messages.length * contextLength,
  createReader: throwNotEmbeddings,
  readBody: throwNotEmbeddings,
  readErrorMessage: readErrorBodyMessage,
}

/** The format of the vectors that a request asks for. */
export function readVectorFormat({ encoding_format: format }: ChatRequest): VectorFormat {
  return format === 'base64' ? 'base64' : 'float'
}
