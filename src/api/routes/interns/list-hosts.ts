import { listHosts } from '#interns/hosts/list-hosts.ts'
import { ListedHost } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const listInternHosts = route({
  method: 'get',
  path: '/interns/hosts',
  tag: 'interns',
  key: 'api',
  summary: 'List the hosts of interns',
  description:
    'Sorted by name, with their state and number of interns. A lost host is listed for a day, and as long as an intern of your organization has files on it.',
  response: z.object({ data: z.array(ListedHost) }),
  faults: ['unauthenticated', 'not_found'],
  handler: async ({ caller }, deps) => ({ data: await listHosts(deps, caller) }),
})
