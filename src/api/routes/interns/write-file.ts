import { z } from '#platform/json/schema.ts'
import { fileFaults, fileRoles, withFiles } from '../../interns/intern-files.ts'
import { route } from '../route.ts'
import { FilePathQuery, flag } from './file-items.ts'
import { InternPath } from './path.ts'

export const writeInternFile = route({
  method: 'put',
  path: '/interns/{internId}/files/content',
  tag: 'interns',
  key: 'api',
  roles: fileRoles,
  summary: 'Write a file of an intern’s workspace',
  description:
    'The body is its content, whatever its media type. Missing folders are made. A file that is there is replaced when all has come, or stays as it is; with `keep=true` it is not replaced (409). Its size is limited by the settings `intern_upload_bytes` and `intern_disk_bytes` (413).',
  request: {
    params: InternPath,
    query: FilePathQuery.extend({ keep: flag.describe('Whether a file that is there stays.') }),
  },
  uploads: ['application/octet-stream'],
  response: z.object({ data: z.object({ path: z.string(), size: z.int(), created: z.boolean() }) }),
  faults: [...fileFaults, 'payload_too_large', 'request_timeout', 'client_closed_request'],
  handler: async ({ params, query: { path, keep }, caller, host, upload, response }, deps) => {
    const { made, size } = await withFiles(
      deps,
      { caller, host, response },
      {
        ...{ internId: params.internId, act: 'intern.file_written', paths: { path } },
        give: (files, signal) => files.write(path, upload, keep !== 'true', signal),
      },
    )
    return { data: { path, size, created: made } }
  },
})
