import { CompletionChunk } from '#gateway/clients/chat/schema.ts'
import { addChatReason } from '#interns/contract/chat-fault.ts'
import { InternChatRequest } from '#interns/turns/chat-request.ts'
import { AcceptedRun, chatFailureHeaders, chatFaults, chatWith } from '../../interns/intern-chat.ts'
import { route } from '../route.ts'
import { InternParams } from './params.ts'

export const chatWithIntern = route({
  method: 'post',
  path: '/interns/{internId}/chat/completions',
  tag: 'interns',
  key: 'api',
  summary: 'Send a prompt to an intern, or answer its question',
  description:
    'The reply is streamed as chat-completion chunks and ends with `[DONE]`. A reply that ends with `tool_calls` needs an answer: send its `session_id` and a last message of role `tool`. With `background`, the run continues after you disconnect; without `stream`, the response is then 202 with the run, which can be followed in its session.',
  request: { params: InternParams, body: InternChatRequest },
  mediaTypes: ['text/event-stream'],
  events: CompletionChunk,
  accepted: AcceptedRun,
  headers: { failure: chatFailureHeaders },
  faults: [...chatFaults],
  describesInternalError: false,
  undeclaredBodyFault: 'invalid',
  bodyLimit: 1024 * 1024,
  convertFault: addChatReason,
  handler: ({ params, body, caller, host, response }, deps) =>
    chatWith(deps, {
      caller,
      host,
      response,
      turnRequest: { internId: params.internId, request: body },
      delivery: body.stream === true ? 'stream' : 'run',
    }),
})
