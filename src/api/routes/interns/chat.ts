import { CompletionChunk } from '#gateway/clients/chat/schema.ts'
import { restateForChat } from '#interns/contract/chat-fault.ts'
import { InternChatRequest } from '#interns/turns/chat-request.ts'
import { AcceptedRun, chatFaults, chatWith } from '../../interns/intern-chat.ts'
import { route } from '../route.ts'
import { InternPath } from './path.ts'

export const chatWithIntern = route({
  method: 'post',
  path: '/interns/{internId}/chat/completions',
  tag: 'interns',
  key: 'api',
  summary: 'Talk to an intern, or answer what it asked',
  description:
    'The reply streams as chat-completion chunks and ends with `[DONE]`. A reply that ends with `tool_calls` waits for an answer: send its `session_id` and a last message of role `tool`. With `background` the run goes on when you leave; without `stream` it is then answered with 202 and the run, to be followed in its session.',
  request: { params: InternPath, body: InternChatRequest },
  mediaTypes: ['text/event-stream'],
  events: CompletionChunk,
  accepted: AcceptedRun,
  faults: [...chatFaults],
  describesDefect: false,
  undeclaredBody: 'invalid',
  bodyLimit: 1024 * 1024,
  restate: restateForChat,
  handler: ({ params, body, caller, host, response }, deps) =>
    chatWith(deps, {
      caller,
      host,
      response,
      asked: { internId: params.internId, request: body },
      as: body.stream === true ? 'stream' : 'run',
    }),
})
