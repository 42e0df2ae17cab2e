import { spawn } from 'node:child_process'
import { createRpc, type Handlers, type Rpc } from '#platform/process/rpc.ts'
import type { WorkerCalls } from './calls.ts'
import { createLineWriter } from './log-lines.ts'
import { createChannelPort } from './ports.ts'

/** The descriptor of a worker's first socket, after the standard streams and the IPC channel. */
const firstSocketDescriptor = 4

export type WorkerProcess = {
  pid: number
  rpc: Rpc<WorkerCalls>
  /** Resolves with a description of how the process ended. */
  ended: Promise<string>
  kill: () => void
}

/** Returns the descriptors of the sockets in a worker, which inherits them in order. */
export const numberInheritedSockets = (all: readonly number[][]): number[][] => {
  let descriptor = firstSocketDescriptor
  return all.map((sockets) => sockets.map(() => descriptor++))
}

type Options = {
  /** The file to run: `bin/worker.ts` or its bundle. */
  script: string
  /** The sockets of all workers, because each worker can replace another one. */
  sockets: readonly number[][]
  handlers: Handlers
  /** Called with complete lines of its standard error. */
  onLines: (lines: string) => void
}

/** Starts a process that waits for `worker.start`. It inherits the environment, but not standard output. */
export function spawnWorker({ script, sockets, handlers, onLines }: Options): WorkerProcess {
  const child = spawn(process.execPath, [...process.execArgv, script], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...sockets.flat()],
    serialization: 'advanced',
    // Only the primary handles Ctrl-C at the terminal, also before this process has signal handlers.
    detached: true,
  })
  const lines = createLineWriter(onLines)
  // Without free file descriptors, the process has no pipes; the `error` event follows.
  child.stderr?.setEncoding('utf8').on('data', lines)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('close', (code, signal) => {
      lines()
      resolve(signal ? `was killed by ${signal}` : `ended with code ${code}`)
    })
  })
  return {
    // Only a process that could not be started has none.
    pid: child.pid ?? 0,
    rpc: createRpc<WorkerCalls>(createChannelPort(child as never), handlers),
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}
