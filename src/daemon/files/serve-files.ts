import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Bytes, InternFiles } from '#interns/contract/files.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { readPacedBody } from '#platform/net/bodies/paced-body.ts'
import { sendJson, waitForDrain } from '../http-response.ts'
import { readPage } from '../page.ts'

type FileRequest = {
  /** The method and the resource, such as `GET list`. */
  operation: string
  query: URLSearchParams
  request: IncomingMessage
  response: ServerResponse
  signal: AbortSignal
}

const maxPageSize = 1000

/** Slower than the server permits to its client, so that the server refuses a slow upload first. */
const uploadPace = { bytesPerSecond: 50, pauseMs: 60_000 }

/**
 * Serves the files of a workspace over HTTP: contents as bytes, everything else as JSON. The header `x-file` of a content has its
 * description, as URL-encoded JSON.
 */
export async function serveFiles(
  files: InternFiles,
  { operation, query, request, response, signal }: FileRequest,
): Promise<void> {
  const path = query.get('path') ?? ''
  const replace = query.get('replace') === 'true'
  const reply = (body: object) => sendJson(response, 200, body)
  switch (operation) {
    case 'GET list':
      return reply(await files.list(path, readPage(query, maxPageSize)))
    case 'GET content': {
      const { body, part, ...file } = await files.read(path, readRange(query), signal)
      const length = part ? part.to - part.from : file.size
      const description = JSON.stringify({ ...file, part: part ?? null })
      return send(response, body, { 'content-length': String(length), 'x-file': encodeURIComponent(description) })
    }
    case 'PUT content':
      return reply(await files.write(path, readPacedBody(request, uploadPace), replace, signal))
    case 'DELETE content':
      await files.remove(path, query.get('recursive') === 'true')
      return reply({})
    case 'POST folder':
      return reply(await files.makeFolder(path))
    case 'POST rename':
      await files.rename(path, query.get('to') ?? '', replace)
      return reply({})
    case 'GET archive':
      return send(response, await files.pack(path, signal), {})
    case 'PUT archive':
      return reply(await files.unpack(path, readPacedBody(request, uploadPace), signal))
    default:
      throw new Refusal('file_invalid', `There is no ${operation}.`)
  }
}

function readRange(query: URLSearchParams) {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const ifRangeTag = query.get('if') ?? undefined
  const suffix = number('suffix')
  if (suffix !== undefined) return { range: { suffix }, ifRangeTag }
  const first = number('first')
  return { range: first === undefined ? undefined : { first, last: number('last') }, ifRangeTag }
}

/** Sends a file. A failure breaks the connection, so that the client notices that the file is incomplete. */
async function send(response: ServerResponse, body: Bytes, headers: Record<string, string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream', ...headers })
  response.flushHeaders()
  for await (const piece of body) {
    if (response.destroyed) return
    if (!response.write(piece)) await waitForDrain(response)
  }
  response.end()
}
