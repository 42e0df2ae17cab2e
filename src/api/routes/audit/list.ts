import { z } from 'zod'
import { listChanges } from '#audit/audit.ts'
import { PageQuery, pageOf } from '#lib/page.ts'
import { route } from '../../route.ts'

const AuditEvent = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    actor: z.object({ user_id: z.string(), key_hash: z.string().nullable() }),
    action: z.string(),
    target: z.object({ kind: z.string(), id: z.string() }),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'AuditEvent', description: 'One change of the organization: who, when, what, before and after.' })

export const listAudit = route({
  method: 'get',
  path: '/audit',
  tag: 'audit',
  key: 'management',
  summary: 'The changes made to keys, guardrails, assignments and presets, newest first',
  request: {
    query: PageQuery.extend({
      action: z.string().max(100).optional(),
      target_kind: z.string().max(100).optional(),
      target_id: z.string().max(200).optional(),
    }),
  },
  response: pageOf(AuditEvent),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: ({ query, caller }, deps) => listChanges(deps, caller.organizationId, query),
})
