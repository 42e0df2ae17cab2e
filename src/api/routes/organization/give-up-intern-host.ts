import { giveUpHost } from '#interns/lifecycle/relocate-host.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { HostParams, RelocatedInterns, relocatedResponse } from './intern-host.ts'

export const giveUpInternHost = route({
  method: 'post',
  path: '/organization/intern-hosts/{host}/give-up',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Give up the files of all interns of a lost host',
  description:
    'Does the same as `POST /interns/{internId}/give-up` for all interns of the organization on this host, regardless of their creator. Each is recorded in the audit log. If the call is interrupted, repeat it to continue.',
  request: { params: HostParams, body: NoBody },
  response: RelocatedInterns,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => relocatedResponse(await giveUpHost(deps, caller, params.host)),
})
