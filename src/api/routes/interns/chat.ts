import type { Caller } from '#accounts/caller.ts'
import type { TrackedRequest } from '#accounts/requests-in-flight.ts'
import type { ApiDeps } from '#api/deps.ts'
import { dialects } from '#api/dialect.ts'
import { requireRegion } from '#api/intern-region.ts'
import { requireInterns } from '#api/require-interns.ts'
import { faultStatus } from '#http/faults.ts'
import { sendEvents } from '#http/send-events.ts'
import { restateForChat } from '#interns/chat-fault.ts'
import { InternChatRequest } from '#interns/chat-request.ts'
import { type ChatTurnRequest, startChatTurn } from '#interns/chat-turn.ts'
import { replyText } from '#interns/reply.ts'
import { findIntern } from '#interns/store.ts'
import { abortSignalOf } from '#lib/leave-signal.ts'
import type { RevocableResponse } from '#lib/revocable-response.ts'
import { CompletionChunk } from '#routing/translate/clients/chat/schema.ts'
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
  handler: async ({ params, body, caller, host, response }, deps) => {
    await requireRegion(deps, caller, host)
    const tracked = deps.routing.inFlight.track(caller, response)
    const recheck: TrackedRequest['recheck'] = async (later) => {
      requireInterns(later)
      await requireRegion(deps, later, host)
      if (tracked.internId !== undefined) await findIntern(deps, later, tracked.internId)
    }
    tracked.recheck = recheck
    const found = (id: string) => {
      tracked.internId = id
    }
    try {
      await reply(deps, caller, { internId: params.internId, request: body, found }, tracked.response)
    } catch (error) {
      throw tracked.response.revoked ?? error
    } finally {
      tracked.release()
    }
  },
})

async function reply(deps: ApiDeps, caller: Caller, asked: ChatTurnRequest, response: RevocableResponse) {
  const { config, conversation, now } = deps
  const turn = await startChatTurn(conversation, caller, asked, abortSignalOf(response.signal))
  const text = replyText(turn, dialects[config.dialect], { now, budgetMs: conversation.budgetMs })
  response.onRevoked(({ kind, message }) => {
    response.write(text.failed({ code: faultStatus[kind], message }) + text.closing)
    response.end()
  })
  await sendEvents(response, turn.events, text, config.intern_heartbeat_ms)
}
