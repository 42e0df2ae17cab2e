import { ModelQuery } from '#catalogue/query.ts'
import { answerModelList } from '../../model-list.ts'
import { route } from '../../route.ts'
import { ModelList } from './list.ts'

export const listModelsForUser = route({
  method: 'get',
  path: '/models/user',
  tag: 'models',
  key: 'any',
  summary: 'The models the calling key may use',
  request: { query: ModelQuery },
  response: ModelList,
  mediaTypes: ['application/rss+xml'],
  faults: ['invalid', 'unauthenticated'],
  // Every key may use every model as long as guardrails do not yet decide about requests; they narrow it here.
  handler: (call, deps) => answerModelList(call, deps),
})
