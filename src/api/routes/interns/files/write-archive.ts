import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FolderPathQuery } from './file-items.ts'

export const writeInternArchive = route({
  method: 'put',
  path: '/interns/{internId}/files/archive',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Upload a tar.gz into a folder of an intern’s workspace',
  description:
    'The folder is created if missing; files of the same name are replaced. The archive is unpacked completely or not at all. An archive is rejected (400 or 403) if an entry leads out of the folder (an absolute name, `..`, a link), or is a hard link, a device or a pipe. One that is too large gets 413.',
  request: { params: InternParams, query: strictFields(FolderPathQuery.shape) },
  uploads: ['application/gzip', 'application/octet-stream'],
  response: z.object({
    data: z.object({
      files: z.int(),
      folders: z.int(),
      links: z.int(),
      bytes: z.int().describe('The total size of the files.'),
    }),
  }),
  faults: [...fileFaults, 'payload_too_large', 'request_timeout', 'client_closed_request'],
  handler: async ({ params, query: { path }, caller, host, upload, response }, deps) => {
    const data = await withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditAction: 'intern.files_unpacked',
        paths: { path },
        run: (files, signal) => files.unpack(path, upload, signal),
      },
    )
    return { data }
  },
})
