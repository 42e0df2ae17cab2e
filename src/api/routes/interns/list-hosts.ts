import { listHosts } from '#interns/hosts/list-hosts.ts'
import { ListedHost } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const listInternHosts = route({
  method: 'get',
  path: '/interns/hosts',
  tag: 'interns',
  key: 'api',
  summary: 'The hosts that interns live on',
  description:
    'By name, with how they are and how many interns they have. A host that is gone is listed as long as an intern of your organization has its files there, and for a day.',
  response: z.object({ data: z.array(ListedHost) }),
  faults: ['unauthenticated', 'not_found'],
  handler: async ({ caller }, deps) => ({ data: await listHosts(deps, caller) }),
})
