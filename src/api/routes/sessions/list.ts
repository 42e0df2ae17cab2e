import type { SignInMethod } from '#identity/sign-in/session.ts'
import { readSessionPage } from '#identity/sign-in/session-rows.ts'
import { isoTime } from '#platform/core/clock.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import type { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { ListedSession, sessionScope, timesOf } from './session.ts'

export const listSessions = route({
  method: 'get',
  path: '/sessions',
  tag: 'sessions',
  key: 'any',
  scope: 'organization',
  summary: 'List browser sessions, most recently used first',
  description:
    'A management key, an owner and an admin see all sessions of the organization. A developer or viewer sees their own sessions; an API key sees the sessions that were started with it.',
  request: { query: PageQuery },
  response: pageOf(ListedSession),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const scope = sessionScope(caller)
    const validity = { now: deps.now(), ...deps.sessions.lifetimes }
    const { rows, total } = await readSessionPage(deps.db.query, scope, query, validity)
    const toListItem = (row: (typeof rows)[number]): z.infer<typeof ListedSession> => ({
      id: row.id,
      method: row.method as SignInMethod,
      member: { id: row.user_id, name: row.name, email: row.email },
      address: row.address,
      user_agent: row.user_agent,
      last_used_at: isoTime(row.seen_at),
      ...timesOf(deps, row),
      is_current: row.id === caller.sessionId,
    })
    return { data: rows.map(toListItem), total_count: total }
  },
})
