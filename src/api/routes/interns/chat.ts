import type { Caller } from '#accounts/caller.ts'
import type { TrackedRequest } from '#accounts/requests-in-flight.ts'
import type { Deps } from '#api/deps.ts'
import { dialects } from '#api/dialect.ts'
import { requireRegion } from '#api/intern-region.ts'
import { requireInterns } from '#api/interns-gate.ts'
import { faultStatus } from '#http/faults.ts'
import { sendEvents } from '#http/send-events.ts'
import { restateForChat } from '#interns/chat-fault.ts'
import { InternChatRequest } from '#interns/chat-request.ts'
import { type Asked, startChatTurn } from '#interns/chat-turn.ts'
import { replyText } from '#interns/reply.ts'
import { findIntern } from '#interns/store.ts'
import type { RevocableOutlet } from '#lib/revocable-outlet.ts'
import { CompletionChunk } from '#routing/clients/chat/schema.ts'
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
  events: CompletionChunk,
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
    await requireRegion(deps, caller, host)
    const followed = deps.routing.inFlight.track(caller, outlet)
    const recheck: TrackedRequest['recheck'] = async (later) => {
      requireInterns(later)
      await requireRegion(deps, later, host)
      if (followed.internId !== undefined) await findIntern(deps, later, followed.internId)
    }
    followed.recheck = recheck
    const found = (id: string) => {
      followed.internId = id
    }
    try {
      await reply(deps, caller, { internId: params.internId, request: body, found }, followed.outlet)
    } catch (error) {
      throw followed.outlet.revoked ?? error
    } finally {
      followed.release()
    }
  },
})

async function reply(deps: Deps, caller: Caller, asked: Asked, outlet: RevocableOutlet) {
  const { config, conversation, now } = deps
  const turn = await startChatTurn(conversation, caller, asked, outlet.signal)
  const text = replyText(turn, dialects[config.dialect], { now, budgetMs: conversation.budgetMs })
  outlet.onRevoked(({ kind, message }) => {
    outlet.write(text.failed({ code: faultStatus[kind], message }) + text.closing)
    outlet.end()
  })
  await sendEvents(outlet, turn.events, text, config.intern_heartbeat_ms)
}
