import { readKeyNames, readUserNames } from '#identity/accounts/account-names.ts'
import { listChanges } from '#identity/audit/audit.ts'
import { Instant } from '#platform/json/instant.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { redactEvent } from './redact-event.ts'
import { loadTargetNames } from './target-names.ts'

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
        'The member, with the key or browser session. No key if the change was made on the command line of the server.',
      ),
    action: z.string(),
    target: z.object({
      kind: z.string(),
      id: z.string(),
      name: z
        .string()
        .nullable()
        .describe('The current or last name. For a session and an assignment to a member, the name of the member.'),
    }),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({
    id: 'AuditEvent',
    description: 'An entry of the audit log: the actor, the time, and the object before and after.',
  })

export const listAuditEvents = route({
  method: 'get',
  path: '/audit',
  tag: 'audit',
  key: 'management',
  summary: 'List the audit log, newest first',
  description:
    'Each entry has the actor, the time, and the object before and after. `intern.answered` entries record who answered a question of an intern, `intern.answer_refused` that the answer was rejected, and `intern.rule_decided` the decision of a rule. Secrets are never included. For webhooks, only the origin of the URL is included. Contents of interns with visibility `creator` are visible only to the creator.',
  request: {
    query: PageQuery.extend({
      action: z.string().max(100).optional().describe('Filter by action, such as `key.updated`.'),
      target_kind: z.string().max(100).optional().describe('Filter by kind of target, such as `key` or `guardrail`.'),
      target_id: z.string().max(200).optional().describe('Filter by ID of the target.'),
      from: Instant.optional().describe('Only entries at or after this time.'),
      to: Instant.optional().describe('Only entries before this time.'),
      starting_after: z
        .string()
        .optional()
        .describe('The ID of the last event of the previous page. Newer events do not shift the pages.'),
    }),
  },
  response: pageOf(AuditEvent),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { data: events, total_count } = await listChanges(deps, caller, query)
    const data = events.map((event) => redactEvent(event, caller))
    const [users, keys, nameOf] = await Promise.all([
      readUserNames(deps.db, caller.organizationId, new Set(data.map(({ actor }) => actor.user_id))),
      readKeyNames(deps.db, caller.organizationId, new Set(data.flatMap(({ actor }) => actor.key_hash ?? []))),
      loadTargetNames(deps.db, caller.organizationId, data),
    ])
    const describeActor = ({ user_id, key_hash, session_id }: (typeof data)[number]['actor']) => ({
      user_id,
      user_name: users.get(user_id)?.name ?? null,
      user_email: users.get(user_id)?.email ?? null,
      key_hash,
      key_name: (key_hash && keys.get(key_hash)?.name) || null,
      session_id,
    })
    const items = data.map((event) => ({
      ...event,
      actor: describeActor(event.actor),
      target: { ...event.target, name: nameOf(event) },
    }))
    return { data: items, total_count }
  },
})
