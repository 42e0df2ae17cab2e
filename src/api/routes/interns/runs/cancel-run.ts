import { findIntern } from '#interns/registry/intern-store.ts'
import { waitUntilEndStored } from '#interns/runs/limited-turns.ts'
import { recordCancelled } from '#interns/runs/run-audit.ts'
import { requireRun } from '#interns/runs/run-store.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { requireRegion } from '../../../interns/intern-region.ts'
import { translateDaemonErrors } from '../../../interns/intern-transcripts.ts'
import { NoBody } from '../../no-body.ts'
import { route } from '../../route.ts'
import { RunParams } from '../params.ts'

export const cancelInternRun = route({
  method: 'post',
  path: '/interns/{internId}/runs/{runId}/cancel',
  tag: 'interns',
  key: 'api',
  summary: 'Cancel a run of an intern',
  description:
    'The reader of the reply receives the cancellation. Completed actions are not undone. The audit log records who cancelled the run (`intern.turn_cancelled`).',
  request: { params: RunParams, body: NoBody },
  response: z.object({ cancelled: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, caller, host }, deps) => {
    await requireRegion(deps, caller, host)
    const intern = await findIntern(deps, caller, params.internId)
    const run = await requireRun(deps, intern.id, params.runId)
    const runs = deps.provisioner.runsOf(intern)
    if (run.status === 'ended' || !(await translateDaemonErrors(runs.cancel(run.id))))
      throw new Fault('conflict', 'The run has ended; there is nothing to cancel.')
    await recordCancelled(deps, caller, run)
    // Until the end is stored, a cost limit of this run would also apply to the next run.
    await waitUntilEndStored(deps.db, intern.id, run.id, { canHaveCostLimit: true })
    return { cancelled: true as const }
  },
})
