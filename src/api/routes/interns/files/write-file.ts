import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FilePathQuery } from './file-items.ts'

export const writeInternFile = route({
  method: 'put',
  path: '/interns/{internId}/files/content',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Upload a file to an intern’s workspace',
  description:
    'The body is the content of the file, with any media type. Missing folders are created. An existing file is replaced only when the upload is complete; with `keep=true` it is not replaced (409). The settings `intern_upload_bytes` and `intern_disk_bytes` limit the size (413).',
  request: {
    params: InternParams,
    query: strictFields({
      ...FilePathQuery.shape,
      keep: booleanParameter('Whether to keep an existing file.').prefault('false'),
    }),
  },
  uploads: ['application/octet-stream'],
  response: z.object({ data: z.object({ path: z.string(), size: z.int(), created: z.boolean() }) }),
  faults: [...fileFaults, 'payload_too_large', 'request_timeout', 'client_closed_request'],
  handler: async ({ params, query: { path, keep }, caller, host, upload, response }, deps) => {
    const { made, size } = await withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditAction: 'intern.file_written',
        paths: { path },
        run: (files, signal) => files.write(path, upload, !keep, signal),
      },
    )
    return { data: { path, size, created: made } }
  },
})
