import { z } from '#platform/json/schema.ts'

/** The number of loaded entries, and all skipped rows. */
export const LoadReport = z
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
  .meta({ id: 'CatalogueReport', description: 'The report of a reload, with every skipped row and the reason.' })
