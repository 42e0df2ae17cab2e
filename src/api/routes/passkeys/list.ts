import { resolveUserId } from '#identity/accounts/members/members.ts'
import { readPasskeyPage } from '#identity/passkeys/passkey-rows.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query } from '#platform/db/db.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Passkey, passkeyScope, toPasskeyResponse } from './passkey.ts'

export const ListedPasskey = Passkey.extend({
  member: z.object({ id: z.string(), name: z.string(), email: z.string() }),
}).meta({ id: 'ListedPasskey', description: 'A passkey in the list.' })

export const listPasskeys = route({
  method: 'get',
  path: '/passkeys',
  tag: 'passkeys',
  key: 'any',
  scope: 'organization',
  summary: 'List passkeys, newest first',
  description: 'Management keys, owners and admins see the passkeys of all members. Other members see their own.',
  request: {
    query: PageQuery.extend({
      user_id: z.string().min(1).max(320).optional().describe('Only those of this member, by ID or email address.'),
    }),
  },
  response: pageOf(ListedPasskey),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const scope = passkeyScope(caller)
    const { rows, total } = await readPasskeyPage(deps.db.query, await narrowScope(deps, scope, query.user_id), query)
    return {
      data: rows.map((row) => ({
        ...toPasskeyResponse(row),
        member: { id: row.user_id, name: row.member_name, email: row.member_email },
      })),
      total_count: total,
    }
  },
})

async function narrowScope(
  { db }: { db: { query: Query } },
  scope: ReturnType<typeof passkeyScope>,
  userIdOrEmail: string | undefined,
) {
  if (userIdOrEmail === undefined) return scope
  const userId = await resolveUserId(db.query, scope.organizationId, userIdOrEmail)
  if (userId === undefined) throw new Fault('invalid', 'Invalid request: user_id: no member has this email address')
  if (scope.userId !== undefined && scope.userId !== userId) {
    throw new Fault('forbidden', 'Only owners and admins see the passkeys of other members.')
  }
  return { ...scope, userId }
}
