import { ModelItem, toModelItem } from '#catalogue/index/model-item.ts'
import { requireModel } from '#gateway/request/resolve-models.ts'
import { z } from '#platform/json/schema.ts'
import { ModelParams, modelName } from '../../models/model-params.ts'
import { route } from '../route.ts'

export const getModel = route({
  method: 'get',
  path: '/model/{author}/{slug}',
  tag: 'models',
  key: 'any',
  canBePublic: true,
  summary: 'Get a model',
  description: 'Returns an entry of `GET /models`. Its endpoints and their measurements are at `links.details`.',
  request: { params: ModelParams },
  response: z.object({ data: ModelItem }),
  faults: ['unauthenticated', 'not_found'],
  handler: ({ params }, { catalogue }) => ({ data: toModelItem(requireModel(catalogue.current(), modelName(params))) }),
})
