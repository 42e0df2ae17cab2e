import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FolderPathQuery, fileItem, InternFileItem } from './file-items.ts'

export const listInternFiles = route({
  method: 'get',
  path: '/interns/{internId}/files',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'List a folder of an intern’s workspace',
  description:
    'Sorted by the bytes of the names. Works whether the intern runs or not. Links are listed, but not followed out of the workspace.',
  request: {
    params: InternParams,
    query: FolderPathQuery.extend({
      limit: wholeNumber({ min: 1, max: 1000 }).default(200),
      starting_after: z
        .string()
        .regex(/^[\w-]{1,400}$/)
        .optional()
        .describe('The `next_cursor` of the previous page.'),
    }),
  },
  response: z.object({ data: z.array(InternFileItem), has_more: z.boolean(), next_cursor: z.string().optional() }),
  faults: [...fileFaults],
  handler: async ({ params, query, caller, host, response }, deps) => {
    const { path, limit, starting_after: after } = query
    const { entries, next } = await withFiles(
      deps,
      { caller, host, response },
      { internId: params.internId, run: (files, signal) => files.list(path, { limit, after }, signal) },
    )
    return { data: entries.map(fileItem), has_more: next !== undefined, next_cursor: next }
  },
})
