import type { Examples } from '#platform/http/description/described-route.ts'
import { describeRoutes } from '#platform/http/description/openapi.ts'
import { apiPrefix } from '../access/prefix.ts'
import { routes, tags } from '../routes/routes.ts'
import { earlyFaults } from './early-faults.ts'
import examples from './examples.json' with { type: 'json' }

/** Creates the OpenAPI document of the API from the routes alone. Starts no other part of the service. */
export function describeApi(): object {
  const withEarlyFaults = routes.map((route) => ({ ...route, faults: [...earlyFaults(route), ...route.faults] }))
  return describeRoutes(withEarlyFaults, {
    title: 'Signalbox',
    description: 'A self-hosted gateway for language models with governed agents.',
    version: '1.0.0',
    prefix: apiPrefix,
    tags,
    examples: examples as Examples,
  })
}
