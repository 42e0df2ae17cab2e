import { ModelEndpoints, toModelEndpoints } from '#catalogue/index/endpoint-item.ts'
import { requireModel } from '#gateway/request/resolve-models.ts'
import { z } from '#platform/json/schema.ts'
import { readOverbilledEndpoints } from '#spend/corrections/overbilled-endpoints.ts'
import { endpointItems } from '../../models/endpoint-items.ts'
import { ModelParams, modelName } from '../../models/model-params.ts'
import { route } from '../route.ts'

export const listEndpoints = route({
  method: 'get',
  path: '/models/{author}/{slug}/endpoints',
  tag: 'endpoints',
  key: 'any',
  canBePublic: true,
  summary: 'List the endpoints of a model, with prices and measurements',
  description:
    'An endpoint is a provider’s offer of the model, with its price, limits and measurements of this service.',
  request: { params: ModelParams },
  response: z.object({ data: ModelEndpoints }),
  faults: ['unauthenticated', 'not_found'],
  handler: async ({ params }, deps) => {
    const snapshot = deps.catalogue.current()
    const model = requireModel(snapshot, modelName(params))
    const overbilledRequests = await readOverbilledEndpoints(deps, model.id)
    const items = endpointItems(deps, snapshot, model).map((item) => {
      const requests = overbilledRequests.get(`${model.id}@${item.tag}`)
      return requests === undefined ? item : { ...item, billed_more_than_bound: requests }
    })
    return { data: toModelEndpoints(model, items) }
  },
})
