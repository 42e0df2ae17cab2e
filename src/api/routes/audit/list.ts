import { namesOfKeys, namesOfUsers } from '#identity/accounts/names.ts'
import { listChanges } from '#identity/audit/audit.ts'
import { Instant } from '#platform/core/instant.ts'
import { PageQuery, pageOf } from '#platform/core/page.ts'
import { z } from '#platform/json/schema.ts'
import { namesOfTargets } from '../../access/audit-targets.ts'
import { publicEvent } from '../../server/public-audit.ts'
import { route } from '../route.ts'

const AuditEvent = z
  .object({
    id: z.uuid(),
    at: z.iso.datetime(),
    actor: z
      .object({
        user_id: z.string(),
        user_name: z.string().nullable(),
        user_email: z.string().nullable(),
        key_hash: z.string().nullable(),
        key_name: z.string().nullable(),
        session_id: z.string().nullable(),
      })
      .describe(
        'Who did it, by which key and in which session of a browser; no key where it was done at the terminal of the server.',
      ),
    action: z.string(),
    target: z.object({
      kind: z.string(),
      id: z.string(),
      name: z
        .string()
        .nullable()
        .describe('What it goes by, or went by last; of a session, and of an assignment to a member, whose it is.'),
    }),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'AuditEvent', description: 'One change of the organization: who, when, what, before and after.' })

export const listAudit = route({
  method: 'get',
  path: '/audit',
  tag: 'audit',
  key: 'management',
  summary:
    'The changes made to keys, workspaces, guardrails, interns and more, and what interns were allowed, newest first',
  description:
    'Who changed what and when, with the object before and after. Events `intern.answered` say who gave an intern which answer to what, `intern.answer_refused` that it was not taken, and `intern.rule_decided` what a rule decided instead. Secrets are never included. A webhook is shown with the origin of its URL only, and the contents of an intern with visibility `creator` to its creator only.',
  request: {
    query: PageQuery.extend({
      action: z.string().max(100).optional().describe('Only these, such as `key.updated`.'),
      target_kind: z.string().max(100).optional().describe('Only changes of these, such as `key` or `guardrail`.'),
      target_id: z.string().max(200).optional().describe('Only changes of this one.'),
      from: Instant.optional().describe('Only changes at or after this instant.'),
      to: Instant.optional().describe('Only changes before this instant.'),
      starting_after: z
        .string()
        .optional()
        .describe('The id of the last event of a page: the next page, unmoved by what has happened since.'),
    }),
  },
  response: pageOf(AuditEvent),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { data: events, total_count } = await listChanges(deps, caller.organizationId, query)
    const data = events.map((event) => publicEvent(event, caller))
    const { query: read } = deps.db
    const [users, keys, nameOf] = await Promise.all([
      namesOfUsers({ query: read }, caller.organizationId, new Set(data.map(({ actor }) => actor.user_id))),
      namesOfKeys({ query: read }, caller.organizationId, new Set(data.flatMap(({ actor }) => actor.key_hash ?? []))),
      namesOfTargets({ query: read }, caller.organizationId, data),
    ])
    const named = ({ user_id, key_hash, session_id }: (typeof data)[number]['actor']) => ({
      ...{ user_id, user_name: users.get(user_id)?.name ?? null, user_email: users.get(user_id)?.email ?? null },
      ...{ key_hash, key_name: (key_hash && keys.get(key_hash)?.name) || null, session_id },
    })
    const told = data.map((event) => ({
      ...event,
      actor: named(event.actor),
      target: { ...event.target, name: nameOf(event) },
    }))
    return { data: told, total_count }
  },
})
