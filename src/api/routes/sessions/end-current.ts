import { HttpAnswer } from '#http/route.ts'
import { z } from '#lib/schema.ts'
import { accessRoles } from '#lib/vocabulary.ts'
import { endSession } from '#sign-in/sign-in.ts'
import { route } from '../../route.ts'
import { sessionCookie } from '../../session-cookie.ts'
import { currentSession } from './current.ts'

export const endCurrentSession = route({
  method: 'delete',
  path: '/sessions/current',
  tag: 'sessions',
  key: 'any',
  roles: accessRoles,
  summary: 'Sign out',
  description:
    'Ends the session of the calling browser, at once on the server that answers and within a second elsewhere.',
  response: z.object({ ended: z.literal(true) }),
  faults: ['unauthenticated', 'forbidden'],
  handler: async ({ caller, raw }, deps) => {
    const { found, origin } = await currentSession(deps, caller, raw)
    await endSession(deps, caller, found.row.id, () => true)
    return new HttpAnswer(200, { 'set-cookie': sessionCookie(origin, '', 0) }, { ended: true })
  },
})
