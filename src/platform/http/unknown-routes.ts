import type { FastifyRequest } from 'fastify'
import { minuteMs } from '../core/clock.ts'
import type { Log } from '../process/log.ts'
import { pathOnly } from './app.ts'

/** The limit of logged paths per minute, so that random requests do not fill the log. */
const maxPerMinute = 100

/** Longer segments of a path are masked, because they may be secrets. Names of this service are shorter. */
const maxSegmentLength = 32

/** Logs each combination of method, unknown path and user agent once a minute. The usual cause is a wrong base URL; the user agent identifies the client. */
export function createUnknownRouteLog(log: Log, now: () => number): (request: FastifyRequest) => void {
  let minute = 0
  const logged = new Set<string>()
  return ({ id, method, url, headers }) => {
    const current = Math.floor(now() / minuteMs)
    if (current !== minute) logged.clear()
    minute = current
    if (logged.size >= maxPerMinute) return
    const path = maskLongParts(pathOnly(url))
    const agent = headers['user-agent']?.slice(0, 200)
    const name = `${method} ${path} ${agent}`
    if (logged.has(name)) return
    logged.add(name)
    log.info({ requestId: id, method, path, agent }, 'unknown route')
  }
}

function maskLongParts(path: string): string {
  return path
    .split('/')
    .map((part) => (part.length > maxSegmentLength ? '…' : part))
    .join('/')
}
