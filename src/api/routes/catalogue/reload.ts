import { reloadCatalogue } from '#catalogue/sources/reload.ts'
import { z } from '#platform/json/schema.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { LoadReport } from './report.ts'

export const reloadCatalogueRoute = route({
  method: 'post',
  path: '/catalogue/reload',
  tag: 'catalogue',
  key: 'management',
  scope: 'organization',
  summary: 'Reload the catalogue files on every server',
  description:
    'The response reports the loaded sources and every skipped row with the reason. An invalid file changes nothing (409). Requests in flight keep the previous catalogue.',
  request: { body: NoBody },
  response: z.object({ data: LoadReport }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict'],
  handler: async ({ caller }, deps) => ({ data: await reloadCatalogue(deps, caller) }),
})
