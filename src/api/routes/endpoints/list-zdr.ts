import { EndpointItem } from '#catalogue/index/endpoint-item.ts'
import { canBeCalled } from '#catalogue/index/model.ts'
import { z } from '#platform/json/schema.ts'
import { endpointItems } from '../../models/endpoint-items.ts'
import { route } from '../route.ts'

export const listZdrEndpoints = route({
  method: 'get',
  path: '/endpoints/zdr',
  tag: 'endpoints',
  key: 'any',
  summary: 'The endpoints of all models that can be called and retain no data',
  description: 'Of all models: the endpoints whose providers keep nothing of a request.',
  response: z.object({ data: z.array(EndpointItem) }),
  faults: ['unauthenticated'],
  handler: (_call, deps) => {
    const snapshot = deps.catalogue.current()
    const data = snapshot.models.filter(canBeCalled).flatMap((model) => {
      const retainingNothing = model.endpoints.filter((endpoint) => endpoint.zeroDataRetention)
      return endpointItems(deps, snapshot, model, retainingNothing)
    })
    return { data }
  },
})
