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
  summary: 'List available endpoints with zero data retention',
  description: 'Lists the endpoints of all models whose providers do not retain request data.',
  response: z.object({ data: z.array(EndpointItem) }),
  faults: ['unauthenticated'],
  handler: (_call, deps) => {
    const snapshot = deps.catalogue.current()
    const data = snapshot.models.filter(canBeCalled).flatMap((model) => {
      const zdrEndpoints = model.endpoints.filter((endpoint) => endpoint.zeroDataRetention)
      return endpointItems(deps, snapshot, model, zdrEndpoints)
    })
    return { data }
  },
})
