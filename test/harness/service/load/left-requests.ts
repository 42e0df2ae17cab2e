import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The moments at which a client can disconnect, by what it has sent or received. */
export const phases = [
  'half of the headers',
  'half of the body',
  'whole request',
  'first byte',
  'half of the response',
] as const
type Phase = (typeof phases)[number]

/** Ways to end a connection. A Unix socket cannot reset: closing it with unread data has that effect. */
export const departures = ['FIN', 'RST'] as const
type Departure = (typeof departures)[number]

export type RawRequest = { name: string; method: string; target: string; headers: Record<string, string>; body: Buffer }

/** A response or a further piece of a stream may take longer than a test can wait: then the client leaves without it. */
const longestWaitMs = 1_000

/** Sends a request or receives its response up to the phase, and disconnects. */
export async function leaveRequest(
  socket: Socket,
  request: RawRequest,
  phase: Phase,
  departure: Departure,
): Promise<void> {
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = Buffer.from(headOf(request))
  const firstPart = {
    'half of the headers': head.subarray(0, head.length >> 1),
    'half of the body': Buffer.concat([head, request.body.subarray(0, request.body.length >> 1)]),
  }[phase as string]
  const received = phase === 'first byte' || phase === 'half of the response' ? receive(socket, phase) : undefined
  await new Promise((resolve) => socket.write(firstPart ?? Buffer.concat([head, request.body]), resolve))
  await Promise.race([received, received && sleep(longestWaitMs, undefined, { ref: false })])
  if (departure === 'RST' && 'resetAndDestroy' in socket && socket.remoteAddress) socket.resetAndDestroy()
  else socket.destroy()
}

function headOf({ method, target, headers, body }: RawRequest): string {
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': String(body.length) })
  return [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
}

/** Resolves when the first byte has come, or half of the response: of a stream, its second piece. */
async function receive(socket: Socket, phase: Phase): Promise<void> {
  const pieces: Buffer[] = []
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece)
      if (phase === 'first byte' || hasHalf(pieces)) resolve()
    })
  })
  socket.pause()
}

function hasHalf(pieces: Buffer[]): boolean {
  const received = Buffer.concat(pieces).toString('latin1')
  const start = received.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(received.slice(0, start))?.[1]
  return length === undefined ? pieces.length > 1 : start >= 0 && received.length - start - 4 >= Number(length) / 2
}

/** The number of open file descriptors of a process. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
