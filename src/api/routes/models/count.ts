import { selectModels } from '#catalogue/index/select.ts'
import { ModelFilter } from '#catalogue/list/model-query.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const countModels = route({
  method: 'get',
  path: '/models/count',
  tag: 'models',
  key: 'any',
  canBePublic: true,
  summary: 'Count models',
  description: 'Accepts the filters of `GET /models`.',
  request: { query: ModelFilter },
  response: z.object({ data: z.object({ count: z.int() }) }),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query }, { catalogue, now }) => ({
    data: { count: selectModels(catalogue.current(), query, now()).length },
  }),
})
