import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { Guardrail } from '#policy/guardrails/guardrail.ts'
import { listGuardrails } from '#policy/guardrails/read-guardrails.ts'
import { route } from '../route.ts'
import { wrongKeyFault } from './route-fields.ts'

export const listGuardrailsRoute = route({
  method: 'get',
  path: '/guardrails',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'List guardrails, oldest first',
  description: 'Includes their rules. Assignments are listed separately.',
  request: {
    query: PageQuery.extend({
      workspace_id: z.string().max(100).optional().describe('Filter by ID or slug of the workspace.'),
      limited: booleanParameter('Whether to list only guardrails with `limit_usd`.').prefault('false'),
    }),
  },
  response: pageOf(Guardrail),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, caller }, deps) => listGuardrails(deps, caller, query),
})
