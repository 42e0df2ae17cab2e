import { showLinked } from '../../interns/answer-by-link.ts'
import { route } from '../route.ts'
import { AnswerPath } from './path.ts'

export const showAnswerPage = route({
  method: 'get',
  path: '/answers/{token}',
  tag: 'webhooks',
  key: 'none',
  summary: 'The page of a link by which a question of an intern is answered',
  description:
    'It shows all that is asked, and changes nothing: programs that open links in mails answer nothing. A link is used once, and expires with its question.',
  request: { params: AnswerPath },
  hidden: true,
  mediaTypes: ['text/html'],
  faults: ['forbidden', 'not_found', 'gone'],
  handler: ({ params }, deps) => showLinked(deps, params.token),
})
