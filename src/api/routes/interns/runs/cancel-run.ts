import { findIntern } from '#interns/registry/intern-store.ts'
import { waitUntilStored } from '#interns/runs/limited-turns.ts'
import { recordCancelled } from '#interns/runs/run-audit.ts'
import { findRun } from '#interns/runs/run-store.ts'
import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { translateDaemonErrors } from '../../../interns/intern-transcripts.ts'
import { NoBody } from '../../no-body.ts'
import { route } from '../../route.ts'
import { RunPath } from '../path.ts'

export const cancelInternRun = route({
  method: 'post',
  path: '/interns/{internId}/runs/{runId}/cancel',
  tag: 'interns',
  key: 'api',
  summary: 'Cancel a run of an intern',
  description:
    'The reader of the reply receives the cancellation. Completed actions are not undone. The audit log records who cancelled the run (`intern.turn_cancelled`).',
  request: { params: RunPath, body: NoBody },
  response: z.object({ cancelled: z.literal(true) }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'bad_gateway', 'unavailable'],
  handler: async ({ params, caller }, deps) => {
    const intern = await findIntern(deps, caller, params.internId)
    const run = await findRun(deps, intern.id, params.runId)
    const isCancelled =
      run.status !== 'ended' && (await translateDaemonErrors(deps.provisioner.runs(intern).cancel(run.id)))
    if (!isCancelled) throw new Fault('conflict', 'The run has ended; there is nothing to cancel.')
    await recordCancelled(deps, caller, run)
    // The run can have a cost limit, so this waits as long as for a run that has one.
    await waitUntilStored(deps.db, intern.id, run.id, 'limited')
    return { cancelled: true as const }
  },
})
