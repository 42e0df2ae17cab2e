import { demoOrigin } from '../upstream/demo.ts'
import type { Wire } from '../wire.ts'
import { openaiChat } from './openai-chat.ts'

/** The demo model speaks OpenAI chat completions, in this process. */
export const demo: Wire = { ...openaiChat, origin: demoOrigin }
