import { moveHost } from '#interns/lifecycle/relocate-all.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { HostPath, RelocatedInterns, relocatedAnswer } from './intern-host.ts'

const HostMove = strictFields({
  to: z.string().min(1).max(100).describe('The name of the host on which their files are now.'),
}).meta({ id: 'InternHostMove' })

export const moveInternHost = route({
  method: 'post',
  path: '/organization/intern-hosts/{host}/move',
  tag: 'organization',
  key: 'management',
  summary: 'Let all interns whose host is gone live on another, where their files are now',
  description:
    'All interns of the organization, whoever made them, as `POST /interns/{internId}/move` does it with one. The service moves no files. Each is in the audit trail. Where it breaks off, the next call goes on.',
  request: { params: HostPath, body: HostMove },
  response: RelocatedInterns,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) =>
    relocatedAnswer(await moveHost(deps, caller, params.host, body.to)),
})
