import { z } from '#platform/json/schema.ts'
import { readContent } from '#spend/contents/store.ts'
import { route } from '../route.ts'
import { GenerationContent } from './content.ts'
import { namedGeneration } from './named.ts'

export const getGenerationContent = route({
  method: 'get',
  path: '/generation/content',
  tag: 'usage',
  key: 'any',
  // What colleagues asked is more than what a viewer is there to see.
  roles: ['owner', 'admin', 'developer'],
  summary: 'What one request asked and was answered, where its workspace keeps that',
  description:
    'Kept where the workspace says so (`is_observability_io_logging_enabled`), encrypted, for `content_retention_days`; never of a request that was refused, or of which nothing may be retained. A management key reads what its organization asked, an intern’s own key its own, every other key what its member asked in its workspace. Written within a second of the end.',
  request: { query: z.object({ id: z.string().min(1).max(256) }) },
  response: z.object({ data: GenerationContent }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ query, caller }, deps) => ({
    data: await readContent(deps, caller, await namedGeneration(deps, caller, query.id)),
  }),
})
