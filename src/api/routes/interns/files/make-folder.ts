import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

export const createInternFolder = route({
  method: 'post',
  path: '/interns/{internId}/files/folders',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Create a folder in an intern’s workspace',
  description: 'Missing parent folders are also created. An existing folder stays unchanged.',
  request: { params: InternParams, body: strictFields({ path: z.string().min(1).max(4096) }) },
  response: z.object({ data: z.object({ path: z.string(), created: z.boolean() }) }),
  faults: [...fileFaults],
  handler: async ({ params, body: { path }, caller, host, response }, deps) => {
    const { made } = await withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditAction: 'intern.folder_made',
        paths: { path },
        run: (files) => files.makeFolder(path),
      },
    )
    return { data: { path, created: made } }
  },
})
