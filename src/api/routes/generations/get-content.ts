import { z } from '#platform/json/schema.ts'
import { readContent } from '#spend/contents/read-content.ts'
import { route } from '../route.ts'
import { GenerationContent } from './content.ts'
import { findGenerationId } from './find-generation.ts'

export const getGenerationContent = route({
  method: 'get',
  path: '/generation/content',
  tag: 'usage',
  key: 'any',
  // Viewers cannot read the prompts of colleagues.
  roles: ['owner', 'admin', 'developer'],
  summary: 'Get the stored prompt and response of a request',
  description:
    'Stored, encrypted, for `content_retention_days` if the workspace enables it (`is_observability_io_logging_enabled`). Not stored for refused requests and requests with zero data retention. A management key reads the contents of its organization, and the key of an intern its own. Every other key reads those of its member in its workspace. Written within a second of the end of the request.',
  request: { query: z.object({ id: z.string().min(1).max(256) }) },
  response: z.object({ data: GenerationContent }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ query, caller }, deps) => ({
    data: await readContent(deps, caller, await findGenerationId(deps, caller, query.id)),
  }),
})
