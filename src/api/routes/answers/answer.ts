import { z } from '#platform/json/schema.ts'
import { submitQuestionForm } from '../../interns/answer-by-link.ts'
import { route } from '../route.ts'
import { AnswerParams } from './params.ts'

export const answerByLink = route({
  method: 'post',
  path: '/answers/{token}',
  tag: 'webhooks',
  key: 'none',
  summary: 'Answer a question of an intern by a link',
  description:
    'Takes the form of the page: `answer` with one of the options, or `accept` or `decline` with the values in `field.…`. The answer counts as an answer of the creator of the webhook. The run continues in the background.',
  request: { params: AnswerParams, body: z.record(z.string().max(1024), z.array(z.string())) },
  takesForm: true,
  hidden: true,
  bodyLimit: 64 * 1024,
  mediaTypes: ['text/html'],
  faults: [
    'invalid',
    'forbidden',
    'not_found',
    'conflict',
    'gone',
    'unsupported_media_type',
    'rate_limited',
    'bad_gateway',
    'unavailable',
    'gateway_timeout',
  ],
  handler: ({ params, body, host }, deps) => submitQuestionForm(deps, { token: params.token, form: body, host }),
})
