import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { deleteContent } from '#spend/contents/delete-contents.ts'
import { route } from '../route.ts'
import { findGenerationId } from './find-generation.ts'

export const deleteGenerationContent = route({
  method: 'delete',
  path: '/generation/content',
  tag: 'usage',
  key: 'any',
  summary: 'Delete the stored prompt and response of a request',
  description: 'Everyone who can read the content can delete it. The metering record stays.',
  request: { query: strictFields({ id: z.string().min(1).max(256) }) },
  response: z.object({ deleted: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict'],
  handler: async ({ query, caller }, deps) => {
    await deleteContent(deps, caller, await findGenerationId(deps, caller, query.id))
    return { deleted: true }
  },
})
