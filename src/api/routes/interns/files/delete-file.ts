import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { fileFaults, fileRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FilePathQuery, flag } from './file-items.ts'

export const deleteInternFile = route({
  method: 'delete',
  path: '/interns/{internId}/files',
  tag: 'interns',
  key: 'api',
  roles: fileRoles,
  summary: 'Delete a file or folder of an intern’s workspace',
  description: 'For a link, deletes the link itself. A folder that is not empty needs `recursive=true`.',
  request: {
    params: InternParams,
    query: strictFields({
      ...FilePathQuery.shape,
      recursive: flag.describe('Whether to delete a folder with its content.'),
    }),
  },
  response: z.object({ deleted: z.literal(true) }),
  faults: [...fileFaults],
  handler: async ({ params, query: { path, recursive }, caller, host, response }, deps) => {
    await withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditedAct: 'intern.file_deleted',
        paths: { path },
        run: (files) => files.remove(path, recursive === 'true'),
      },
    )
    return { deleted: true as const }
  },
})
