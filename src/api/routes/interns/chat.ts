import { dialects } from '#api/dialect.ts'
import { requireRegion } from '#api/intern-region.ts'
import { sendEvents } from '#http/send-events.ts'
import { restateForChat } from '#interns/chat-fault.ts'
import { InternChatRequest } from '#interns/chat-request.ts'
import { converse } from '#interns/converse.ts'
import { replyText } from '#interns/reply.ts'
import { route } from '../../route.ts'
import { InternPath } from './path.ts'

export const chatWithIntern = route({
  method: 'post',
  path: '/interns/{internId}/chat/completions',
  tag: 'interns',
  key: 'api',
  summary: 'Talk to an intern, or answer what it asked',
  description:
    'The reply streams as chat-completion chunks and ends with `[DONE]`. A reply that ends with `tool_calls` waits for an answer: send its `session_id` and a last message of role `tool`.',
  request: { params: InternPath, body: InternChatRequest },
  mediaTypes: ['text/event-stream'],
  faults: [
    'invalid',
    'unauthenticated',
    'forbidden',
    'not_found',
    'conflict',
    'gone',
    'payload_too_large',
    'rate_limited',
    'bad_gateway',
    'unavailable',
    'gateway_timeout',
  ],
  undeclaredBody: 'invalid',
  bodyLimit: 1024 * 1024,
  restate: restateForChat,
  handler: async ({ params, body, caller, host, outlet }, deps) => {
    const { config, conversation, now } = deps
    await requireRegion(deps, caller, host)
    const turn = await converse(conversation, caller, params.internId, body, outlet.signal)
    const text = replyText(turn, dialects[config.dialect], { now, budgetMs: conversation.budgetMs })
    await sendEvents(outlet, turn.events, text, config.intern_heartbeat_ms)
  },
})
