import { z } from 'zod'
import { ChatRequest } from '#chat/chat-request.ts'
import { chatClient } from '#routing/clients/chat.ts'
import { complete } from '#routing/complete.ts'
import { route } from '../../route.ts'
import { completionCall, wholeAnswer } from './call.ts'

export const createChatCompletion = route({
  method: 'post',
  path: '/chat/completions',
  tag: 'completions',
  key: 'api',
  summary: 'Answer a chat, streamed or whole',
  description:
    'OpenAI chat completions for every model of the catalogue. Fields not known here go to the provider as they are.',
  request: { body: ChatRequest },
  response: z.looseObject({ id: z.string(), object: z.literal('chat.completion') }),
  mediaTypes: ['text/event-stream'],
  faults: [
    'invalid',
    'unauthenticated',
    'payment_required',
    'forbidden',
    'not_found',
    'request_timeout',
    'payload_too_large',
    'rate_limited',
    'bad_gateway',
    'unavailable',
  ],
  handler: async (call, { routing }) => wholeAnswer(await complete(routing, completionCall(call, chatClient))),
})
