import { spawn } from 'node:child_process'
import { createRpc, type Handlers, type Rpc } from '#platform/process/rpc.ts'
import type { WorkerCalls } from './calls.ts'
import { wholeLines } from './log-lines.ts'
import { portOf } from './ports.ts'

/** The number that the first of a worker's sockets has there, after standard streams and the channel. */
const firstSocket = 4

export type WorkerProcess = {
  pid: number
  rpc: Rpc<WorkerCalls>
  /** In words, how it ended, once it has. */
  ended: Promise<string>
  kill: () => void
}

/** The descriptors of the sockets in a worker: they are passed on in order. */
export const socketsThere = (all: readonly number[][]): number[][] => {
  let at = firstSocket
  return all.map((sockets) => sockets.map(() => at++))
}

type Options = {
  /** The file to run: `bin/worker.ts`, or what it was bundled into. */
  script: string
  /** The sockets of all workers: each may have to stand in for another. */
  sockets: readonly number[][]
  handlers: Handlers
  /** Whole lines of what it writes to standard error. */
  onLines: (lines: string) => void
}

/** Starts a process that waits for `worker.start`. It has our environment, and standard output is not its business. */
export function spawnWorker({ script, sockets, handlers, onLines }: Options): WorkerProcess {
  const child = spawn(process.execPath, [...process.execArgv, script], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...sockets.flat()],
    serialization: 'advanced',
    // A Ctrl-C at the terminal is for the primary, also while this one has not begun to hear signals.
    detached: true,
  })
  const lines = wholeLines(onLines)
  // Out of file descriptors there is no pipe, only the error in a moment.
  child.stderr?.setEncoding('utf8').on('data', lines)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('close', (code, signal) => {
      lines()
      resolve(signal ? `was killed by ${signal}` : `ended with code ${code}`)
    })
  })
  return {
    pid: child.pid ?? 0,
    rpc: createRpc<WorkerCalls>(portOf(child as never), handlers),
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}
