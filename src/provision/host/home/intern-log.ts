import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { type Duplex, duplexPair } from 'node:stream'
import { contractVersion } from '#interns/contract/daemon-api.ts'
import { type InternLog, neverStartedNote } from '#interns/remote/log.ts'
import { createServer } from '#platform/net/node-http.ts'
import { printable } from '#platform/text/printable.ts'
import { logFile } from './intern-home.ts'

/** Does not follow links and does not block: an intern with the user of this process can replace its log. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Reads the tail of the log in an intern's folder, at most `bytes` long. */
export async function readLog(home: string, bytes: number): Promise<InternLog> {
  try {
    await using file = await open(logFile(home), openFlags)
    const stats = await file.stat()
    // A second hard link: the intern can have linked a file that only this process is allowed to read.
    if (!stats.isFile() || stats.nlink !== 1) return { none: 'Its log file was replaced.' }
    const from = Math.max(0, stats.size - bytes)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(stats.size - from), position: from })
    return { text: buffer.toString('utf8', 0, bytesRead), isCut: from > 0 }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { none: neverStartedNote }
    if (code === 'ELOOP') return { none: 'Its log file was replaced.' }
    throw error
  }
}

/** A connection on which a server of another host requests the tail of a log, once. */
export function createLogConnection(home: string): Duplex {
  const [local, remote] = duplexPair()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://log')
    const respond = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
    // The server reads only the kind of an error. There is no kind for an unknown path.
    if (request.method !== 'GET' || pathname !== `/v${contractVersion}/log`)
      return void respond(404, { error: { kind: 'bad_request', message: 'This connection serves only a log.' } })
    readLog(home, Number(searchParams.get('bytes')) || 0).then(
      (log) => respond(200, log),
      (error: Error) => respond(502, { error: { kind: 'intern_rejected', message: error.message } }),
    )
  })
  // Serves this connection without listening on a port.
  server.emit('connection', remote)
  return local
}

const lastLineLimits = { readBytes: 4096, length: 500 }

/** The last line of a daemon's log, or its end; empty without a log. */
export async function readLastLogLine(home: string): Promise<string> {
  const log = await readLog(home, lastLineLimits.readBytes).catch(() => undefined)
  const lines = log && 'text' in log ? log.text.trimEnd().split('\n') : []
  return printable((lines.at(-1) ?? '').slice(-lastLineLimits.length))
}
