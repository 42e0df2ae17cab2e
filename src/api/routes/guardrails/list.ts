import { PageQuery, pageOf } from '#platform/core/page.ts'
import { z } from '#platform/json/schema.ts'
import { Guardrail } from '#policy/guardrails/guardrail.ts'
import { listGuardrails } from '#policy/guardrails/read.ts'
import { route } from '../route.ts'

export const listAllGuardrails = route({
  method: 'get',
  path: '/guardrails',
  tag: 'guardrails',
  key: 'management',
  wrongKey: 'unauthenticated',
  summary: 'The guardrails of the organization or of one workspace, oldest first',
  description: 'With their rules. Who is governed by one is told by its assignments.',
  request: {
    query: PageQuery.extend({
      workspace_id: z.string().max(100).optional().describe('Only those of this workspace, by id or slug.'),
    }),
  },
  response: pageOf(Guardrail),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, caller }, deps) => listGuardrails(deps, caller, query),
})
