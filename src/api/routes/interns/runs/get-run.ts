import { findIntern } from '#interns/registry/intern-store.ts'
import { InternRun, toRunItem } from '#interns/runs/run-record.ts'
import { requireRun } from '#interns/runs/run-store.ts'
import { z } from '#platform/json/schema.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { route } from '../../route.ts'
import { RunParams } from '../params.ts'

export const getInternRun = route({
  method: 'get',
  path: '/interns/{internId}/runs/{runId}',
  tag: 'interns',
  key: 'api',
  summary: 'Get a run of an intern',
  description: 'The transcript is at `GET /interns/{internId}/sessions/{sessionId}`.',
  request: { params: RunParams },
  response: z.object({ data: InternRun }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller, host }, deps) => {
    await requireRegion(deps, caller, host)
    const { id } = await findIntern(deps, caller, params.internId)
    return { data: toRunItem(await requireRun(deps, id, params.runId)) }
  },
})
