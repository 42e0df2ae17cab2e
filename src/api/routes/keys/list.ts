import { listKeys } from '#identity/accounts/keys/keys.ts'
import { namedWorkspace } from '#identity/accounts/workspaces.ts'
import { PageQuery, pageOf, Searched } from '#platform/core/page.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Key, keyAnswers } from './key.ts'

export const listAllKeys = route({
  method: 'get',
  path: '/keys',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer', 'viewer'],
  summary: 'The keys of a workspace, newest first',
  description: 'With what each may spend and has spent. The keys themselves are shown once only, when they are made.',
  request: {
    query: PageQuery.extend({
      workspace_id: z
        .string()
        .optional()
        .describe('Whose keys, by its id or slug; those of the calling key’s own workspace unless told.'),
      q: Searched.describe(
        'Words, all of which occur in its name, its label or whom it acts for, by name or address; or its whole hash.',
      ),
      include_disabled: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to list disabled keys too.')
        .transform((word) => word === 'true'),
    }),
  },
  response: pageOf(Key),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const workspaceId = await namedWorkspace(deps, caller, query.workspace_id)
    const { data, total_count } = await listKeys(deps, workspaceId, query, caller)
    return { data: await keyAnswers(deps, caller, data), total_count }
  },
})
