import { endSession } from '#identity/sign-in/sign-in.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { sessionScope } from './session.ts'

export const deleteSession = route({
  method: 'delete',
  path: '/sessions/{id}',
  tag: 'sessions',
  key: 'any',
  scope: 'organization',
  roles: accessRoles,
  summary: 'End a session',
  description:
    'Takes effect immediately on this server, and within a second on other servers. Requests of the session in flight are cancelled. Everyone who sees a session can end it.',
  request: { params: z.object({ id: z.string().min(1).max(100) }) },
  response: z.object({ ended: z.literal(true) }),
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const { userId, keyHash } = sessionScope(caller)
    await endSession(
      deps,
      caller,
      params.id,
      (row) =>
        (userId === undefined || row.user_id === userId) && (keyHash === undefined || row.using_key_hash === keyHash),
    )
    return { ended: true as const }
  },
})
