import { z } from '#platform/json/schema.ts'

export const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
    interns_programme: z.boolean().describe('Whether its keys may use interns. Without it there are none to be seen.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Organization' })
