import { z } from 'zod'
import { ModelItem } from '#catalogue/model-item.ts'
import { ModelQuery } from '#catalogue/query.ts'
import { answerModelList } from '../../model-list.ts'
import { route } from '../../route.ts'

export const ModelList = z.object({
  data: z.array(ModelItem),
  total_count: z.int().describe('How many there are on all pages together.'),
  links: z.object({ next: z.string().nullable().describe('The path of the next page; null on the last.') }),
})

export const listModels = route({
  method: 'get',
  path: '/models',
  tag: 'models',
  key: 'any',
  mayBePublic: true,
  summary: 'The models, filtered and sorted',
  description:
    'Every parameter may be combined with every other. The price, region, provider and data retention conditions hold when one single endpoint fulfils them all. Without `offset` and `limit` the list is whole.',
  request: { query: ModelQuery },
  response: ModelList,
  mediaTypes: ['application/rss+xml'],
  faults: ['invalid', 'unauthenticated'],
  handler: (call, deps) => answerModelList(call, deps),
})
