import { z } from 'zod'
import { reloadCatalogue } from '#catalogue/reload.ts'
import { route } from '../../route.ts'

const LoadReport = z
  .object({
    sources: z.array(z.string()),
    providers: z.number().int(),
    models: z.number().int(),
    endpoints: z.number().int(),
    merged: z.number().int(),
    skipped: z.array(
      z.object({ source: z.string(), line: z.number().int().optional(), row: z.string(), reason: z.string() }),
    ),
  })
  .meta({ id: 'CatalogueReport', description: 'What a reload found: how much, and every row it left out and why.' })

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
