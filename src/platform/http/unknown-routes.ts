import type { FastifyRequest } from 'fastify'
import type { Log } from '../process/log.ts'
import { pathOnly } from './app.ts'

const minuteMs = 60_000

/** So many different ones are told in a minute; who tries paths at random must not fill the log. */
const mostAMinute = 100

/** A longer part of a path may be a key. Names of this service are shorter. */
const longestPart = 32

/** Tells of each path that there is none of, once a minute: mostly it is a wrong base URL, and the agent says whose. */
export function unknownRouteLog(log: Log, now: () => number): (request: FastifyRequest) => void {
  let minute = 0
  const told = new Set<string>()
  return ({ id, method, url, headers }) => {
    const current = Math.floor(now() / minuteMs)
    if (current !== minute) told.clear()
    minute = current
    if (told.size >= mostAMinute) return
    const path = shortened(pathOnly(url))
    const agent = headers['user-agent']?.slice(0, 200)
    const name = `${method} ${path} ${agent}`
    if (told.has(name)) return
    told.add(name)
    log.info({ requestId: id, method, path, agent }, 'there is no such route')
  }
}

function shortened(path: string): string {
  return path
    .split('/')
    .map((part) => (part.length > longestPart ? '…' : part))
    .join('/')
}
