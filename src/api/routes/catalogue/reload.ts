import { reloadCatalogue } from '#catalogue/sources/reload.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { LoadReport } from './report.ts'

export const reload = route({
  method: 'post',
  path: '/catalogue/reload',
  tag: 'catalogue',
  key: 'management',
  summary: 'Read the catalogue files again, on every server; a file that cannot be used changes nothing (409)',
  description:
    'The answer says what was read and names every row that was left out, with the reason. Requests under way keep the catalogue they began with.',
  response: z.object({ data: LoadReport }),
  faults: ['unauthenticated', 'forbidden', 'conflict'],
  handler: async ({ caller }, deps) => ({ data: await reloadCatalogue(deps, caller) }),
})
