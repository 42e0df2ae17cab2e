import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FilePathQuery } from './file-items.ts'

export const deleteInternFile = route({
  method: 'delete',
  path: '/interns/{internId}/files',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Delete a file or folder of an intern’s workspace',
  description: 'For a link, deletes the link itself. A folder that is not empty needs `recursive=true`.',
  request: {
    params: InternParams,
    query: strictFields({
      ...FilePathQuery.shape,
      recursive: booleanParameter('Whether to delete a folder with its content.').prefault('false'),
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
        auditAction: 'intern.file_deleted',
        paths: { path },
        run: (files) => files.remove(path, recursive),
      },
    )
    return { deleted: true as const }
  },
})
