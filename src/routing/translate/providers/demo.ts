import { demoOrigin } from '../../attempt/upstream/demo.ts'
import type { ProviderProtocol } from '../protocol.ts'
import { openaiChat } from './openai-chat.ts'

/** The demo model speaks OpenAI chat completions, in this process. */
export const demo: ProviderProtocol = { ...openaiChat, origin: demoOrigin }
