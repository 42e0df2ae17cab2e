import type { Protocol } from '#catalogue/model.ts'
import type { Wire } from '../wire.ts'
import { demo } from './demo.ts'
import { openaiChat } from './openai-chat.ts'

/** Every wire protocol that upstreams speak. A new one is a file and a line here. */
export const protocols: Record<Protocol, Wire> = {
  'openai-chat': openaiChat,
  demo,
}
