import { basename } from 'node:path'
import { download, waitForDownload } from '#platform/http/response/download.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FolderPathQuery } from './file-items.ts'

export const getInternArchive = route({
  method: 'get',
  path: '/interns/{internId}/files/archive',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Download a folder of an intern’s workspace as tar.gz',
  description:
    'Names in the archive are relative to the folder. Pipes, sockets, devices, links that lead out of the folder, hard links, and files beyond `intern_upload_bytes` are skipped. In that case, the last file of the archive, `SIGNALBOX-LEFT-OUT.txt`, lists them with the reasons.',
  request: { params: InternParams, query: FolderPathQuery },
  mediaTypes: ['application/gzip'],
  downloads: true,
  headers: { success: ['content-disposition'] },
  faults: [...fileFaults],
  handler: ({ params, query: { path }, caller, host, response }, deps) =>
    withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditAction: 'intern.files_packed',
        paths: { path },
        waitUntilSent: waitForDownload,
        run: async (files, signal) => {
          const name = `${basename(path) || 'workspace'}.tar.gz`
          return download({ name, type: 'application/gzip', body: await files.pack(path, signal) })
        },
      },
    ),
})
