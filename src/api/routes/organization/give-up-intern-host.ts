import { giveUpHost } from '#interns/lifecycle/relocate-all.ts'
import { NoBody } from '../interns/no-body.ts'
import { route } from '../route.ts'
import { HostPath, RelocatedInterns, relocatedAnswer } from './intern-host.ts'

export const giveUpInternHost = route({
  method: 'post',
  path: '/organization/intern-hosts/{host}/give-up',
  tag: 'organization',
  key: 'management',
  summary: 'Give up the files of all interns whose host is gone',
  description:
    'All interns of the organization, whoever made them, are stopped and have no host, as `POST /interns/{internId}/give-up` does it with one. Each is in the audit trail. Where it breaks off, the next call goes on.',
  request: { params: HostPath, body: NoBody },
  response: RelocatedInterns,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => relocatedAnswer(await giveUpHost(deps, caller, params.host)),
})
