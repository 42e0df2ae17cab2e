import { z } from 'zod'
import { ResponsesCall } from '#chat/responses-call.ts'
import { responsesClient } from '#routing/clients/responses.ts'
import { complete } from '#routing/complete.ts'
import { route } from '../../route.ts'
import { completionCall, wholeAnswer } from './call.ts'

export const createResponse = route({
  method: 'post',
  path: '/responses',
  tag: 'completions',
  key: 'api',
  summary: 'Answer input items, streamed or whole',
  description:
    'OpenAI responses for every model of the catalogue. Nothing is stored: the whole conversation comes with each request.',
  request: { body: ResponsesCall },
  response: z.looseObject({ id: z.string(), object: z.literal('response'), status: z.string() }),
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
  handler: async (call, { routing }) => wholeAnswer(await complete(routing, completionCall(call, responsesClient))),
})
