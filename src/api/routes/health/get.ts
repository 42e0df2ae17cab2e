import { sql } from '#db/kysely.ts'
import { HttpAnswer } from '#http/route.ts'
import { z } from '#lib/schema.ts'
import { version } from '#lib/version.ts'
import { route } from '../../route.ts'

const Health = z.object({ status: z.enum(['ready', 'not_ready']), version: z.string() })

const notReady = new HttpAnswer(503, { 'retry-after': '1' }, { status: 'not_ready', version })

export const getHealth = route({
  method: 'get',
  path: '/health',
  tag: 'service',
  key: 'none',
  summary: 'Whether the service is ready: 200, or 503 when it is not or is about to stop. Needs no key.',
  description:
    'For load balancers and supervisors. It asks the database, so it is not for more than a few calls a second.',
  response: Health,
  faults: ['unavailable'],
  handler: async (_call, { db, onNotReady, isShuttingDown }) => {
    if (isShuttingDown()) return notReady
    try {
      await sql`select 1`.execute(db.query)
      return { status: 'ready' as const, version }
    } catch (error) {
      onNotReady(error as Error)
      return notReady
    }
  },
})
