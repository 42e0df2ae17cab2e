import { z } from '#platform/json/schema.ts'

export const Organization = z
  .object({
    id: z.string(),
    name: z.string(),
    interns_programme: z
      .boolean()
      .describe('Whether the keys of the organization can use interns. If false, no interns are visible.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Organization' })
