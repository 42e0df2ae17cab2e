import type { ProviderProtocol } from '../../protocol/provider-protocol.ts'
import { openaiEmbeddings } from '../embeddings/openai-embeddings.ts'
import { openaiChat } from '../openai-chat/openai-chat.ts'
import { demoOrigin } from './demo-upstream.ts'

/** The demo model speaks OpenAI chat completions, in this process. */
export const demo: ProviderProtocol = {
  ...openaiChat,
  tasks: { embeddings: { ...openaiEmbeddings, origin: demoOrigin } },
  origin: demoOrigin,
}
