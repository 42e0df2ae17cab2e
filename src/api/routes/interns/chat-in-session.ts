import { Completion, CompletionChunk } from '#gateway/clients/chat/schema.ts'
import { chatFault, restateForChat } from '#interns/contract/chat-fault.ts'
import { InternChatInSession } from '#interns/turns/chat-request.ts'
import { AcceptedRun, chatFaults, chatWith } from '../../interns/intern-chat.ts'
import { route } from '../route.ts'
import { SessionPath } from './path.ts'

export const chatInInternSession = route({
  method: 'post',
  path: '/interns/{internId}/sessions/{sessionId}/chat/completions',
  tag: 'interns',
  key: 'api',
  operationId: 'createInternSessionChatCompletion',
  summary: 'Talk to an intern in one session, with any chat client',
  description:
    'The session is in the path, so that a base URL and a key are all that a client of chat completions needs; one that is not there begins. Only the last message is read: the intern keeps the conversation. What it asks is a tool call, and the next message of role `tool` is the answer. Without `stream` the whole reply comes at once.',
  request: { params: SessionPath, body: InternChatInSession },
  response: Completion,
  mediaTypes: ['text/event-stream'],
  events: CompletionChunk,
  accepted: AcceptedRun,
  faults: [...chatFaults],
  undeclaredBody: 'invalid',
  bodyLimit: 1024 * 1024,
  restate: restateForChat,
  handler: ({ params, body, caller, host, response }, deps) => {
    const { sessionId, internId } = params
    if (body.session_id !== undefined && body.session_id !== sessionId)
      throw chatFault('invalid', 'bad_request', 'Invalid request: session_id: is not the session of the path.')
    const request = { ...body, stream: true as const, session_id: sessionId }
    const as = body.stream === true ? 'stream' : body.background === true ? 'run' : 'whole'
    return chatWith(deps, { caller, host, response, asked: { internId, request }, as })
  },
})
