import { moveHost } from '#interns/lifecycle/relocate-host.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { HostParams, RelocatedInterns, relocatedResponse } from './intern-host.ts'

const HostMove = strictFields({
  to: z.string().min(1).max(100).describe('The name of the new host, which has the files of the interns.'),
}).meta({ id: 'InternHostMove' })

export const moveInternHost = route({
  method: 'post',
  path: '/organization/intern-hosts/{host}/move',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Move all interns of a lost host to another host',
  description:
    'Does the same as `POST /interns/{internId}/move` for all interns of the organization on this host, regardless of their creator. The service does not move files. Each intern is recorded in the audit log. If the call is interrupted, repeat it to continue.',
  request: { params: HostParams, body: HostMove },
  response: RelocatedInterns,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) =>
    relocatedResponse(await moveHost(deps, caller, params.host, body.to)),
})
