import { showQuestionPage } from '../../interns/answer-by-link.ts'
import { route } from '../route.ts'
import { AnswerParams } from './params.ts'

export const showAnswerPage = route({
  method: 'get',
  path: '/answers/{token}',
  tag: 'webhooks',
  key: 'none',
  summary: 'Show the page of an answer link for a question of an intern',
  description:
    'Shows the complete question. Opening the page has no effect, so programs that open links in emails do not answer the question. A link can be used once, and expires with its question.',
  request: { params: AnswerParams },
  hidden: true,
  mediaTypes: ['text/html'],
  faults: ['forbidden', 'not_found', 'gone'],
  handler: ({ params, host }, deps) => showQuestionPage(deps, params.token, host),
})
