import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { currentSession } from './current.ts'
import { Session, toSessionResponse } from './session.ts'

export const getCurrentSession = route({
  method: 'get',
  path: '/sessions/current',
  tag: 'sessions',
  key: 'any',
  summary: 'Get the session of the calling browser',
  description: 'Returns the member, the permissions, and the CSRF token for changes.',
  response: z.object({ data: Session }),
  faults: ['unauthenticated'],
  handler: async ({ caller, raw }, deps) => {
    const { token, session } = await currentSession(deps, caller, raw)
    return new HttpResponse(
      200,
      { 'cache-control': 'no-store' },
      { data: await toSessionResponse(deps, session, token) },
    )
  },
})
