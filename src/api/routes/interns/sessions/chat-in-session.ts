import { Completion, CompletionChunk } from '#gateway/clients/chat/schema.ts'
import { addChatReason, chatFault } from '#interns/contract/chat-fault.ts'
import { InternSessionChatRequest } from '#interns/turns/chat-request.ts'
import { AcceptedRun, chatFailureHeaders, chatFaults, chatWith } from '../../../interns/intern-chat.ts'
import { route } from '../../route.ts'
import { SessionParams } from '../params.ts'

export const createInternSessionChatCompletion = route({
  method: 'post',
  path: '/interns/{internId}/sessions/{sessionId}/chat/completions',
  tag: 'interns',
  key: 'api',
  summary: 'Chat with an intern in a session given in the path',
  description:
    'For chat-completions clients that can only set a base URL and a key. A session that does not exist is created. Only the last message is read, because the intern stores the conversation. A question is a tool call, and the next message of role `tool` is its answer. Without `stream`, the reply is returned when it is complete.',
  request: { params: SessionParams, body: InternSessionChatRequest },
  response: Completion,
  mediaTypes: ['text/event-stream'],
  events: CompletionChunk,
  accepted: AcceptedRun,
  headers: { failure: chatFailureHeaders },
  faults: [...chatFaults],
  undeclaredBodyFault: 'invalid',
  bodyLimit: 1024 * 1024,
  convertFault: addChatReason,
  handler: ({ params, body, caller, host, response }, deps) => {
    const { sessionId, internId } = params
    if (body.session_id !== undefined && body.session_id !== sessionId)
      throw chatFault('invalid', 'bad_request', 'Invalid request: session_id: is not the session of the path.')
    // An intern always streams. `delivery` decides what the client gets.
    const request = { ...body, stream: true as const, session_id: sessionId }
    return chatWith(deps, { caller, host, response, turnRequest: { internId, request }, delivery: deliveryOf(body) })
  },
})

function deliveryOf({
  stream,
  background,
}: {
  stream?: boolean | null | undefined
  background?: boolean | null | undefined
}) {
  if (stream === true) return 'stream'
  return background === true ? 'run' : 'whole'
}
