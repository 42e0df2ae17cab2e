import { canServe } from '#catalogue/index/model.ts'
import { ModelQuery } from '#catalogue/list/model-query.ts'
import { sendModelList } from '../../models/model-list.ts'
import { route } from '../route.ts'
import { ModelList } from './list.ts'

export const listEmbeddingsModels = route({
  method: 'get',
  path: '/embeddings/models',
  tag: 'models',
  key: 'any',
  canBePublic: true,
  summary: 'List models that create embeddings',
  description: 'The same as `GET /models` with `output_modalities=embeddings`. Accepts its other parameters.',
  request: { query: ModelQuery.omit({ output_modalities: true }) },
  response: ModelList,
  mediaTypes: ['application/rss+xml'],
  isCacheable: true,
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, url, headers, raw }, deps) => {
    const filter: ModelQuery = { ...query, output_modalities: ['embeddings'] }
    return sendModelList({ query: filter, url, headers, raw }, deps, (model) => canServe(model, 'embeddings'))
  },
})
