import type { ProviderProtocol } from '../protocol/protocol.ts'
import { demoOrigin } from './demo/demo-upstream.ts'
import { openaiEmbeddings } from './embeddings/openai-embeddings.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'

/** The demo model speaks OpenAI chat completions, in this process. */
export const demo: ProviderProtocol = {
  ...openaiChat,
  tasks: { embeddings: { ...openaiEmbeddings, origin: demoOrigin } },
  origin: demoOrigin,
}
