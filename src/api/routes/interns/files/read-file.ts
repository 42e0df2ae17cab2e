import { basename } from 'node:path'
import type { InternFileContent } from '#interns/contract/files.ts'
import { parseRange } from '#platform/http/request/byte-range.ts'
import { download, waitForDownload } from '#platform/http/response/download.ts'
import { fileFaults, storageRoles, withFiles } from '../../../interns/intern-files.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'
import { FilePathQuery } from './file-items.ts'

export const getInternFile = route({
  method: 'get',
  path: '/interns/{internId}/files/content',
  tag: 'interns',
  key: 'api',
  roles: storageRoles,
  summary: 'Download a file of an intern’s workspace',
  description:
    'Returns the whole file, or with `Range: bytes=…` a part (206). With `If-Range` and the `etag`, the whole file is returned if it has changed. A connection that closes before `content-length` bytes means that the content is incomplete. Links are followed within the workspace. Pipes, sockets, devices and hard links are rejected.',
  request: { params: InternParams, query: FilePathQuery },
  mediaTypes: ['application/octet-stream'],
  downloads: true,
  hasRanges: true,
  headers: { success: ['content-disposition', 'etag', 'last-modified'] },
  faults: [...fileFaults, 'range_not_satisfiable'],
  handler: ({ params, query: { path }, caller, host, headers, response }, deps) => {
    const selection = { range: parseRange(headers.range), ifRangeTag: readIfRange(headers['if-range']) }
    return withFiles(
      deps,
      { caller, host, response },
      {
        internId: params.internId,
        auditAction: 'intern.file_read',
        paths: { path },
        waitUntilSent: waitForDownload,
        run: async (files, signal) => toFileResponse(basename(path), await files.read(path, selection, signal)),
      },
    )
  },
})

/** Returns the tag of an `If-Range` header. A date, which has no quotes, becomes a tag that matches no file. */
function readIfRange(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  return /^"(.*)"$/.exec(String(header))?.[1] ?? ''
}

function toFileResponse(name: string, { size, modifiedAt, tag, part, body }: InternFileContent) {
  const { from, to } = part ?? { from: 0, to: size }
  return download(
    { status: part ? 206 : 200, name, type: 'application/octet-stream', body },
    {
      'content-length': String(to - from),
      'accept-ranges': 'bytes',
      etag: `"${tag}"`,
      'last-modified': new Date(modifiedAt).toUTCString(),
      ...(part && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
    },
  )
}
