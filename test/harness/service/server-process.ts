import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { endAtLast, endDaemonsAtLast } from './leftovers.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** `bin/server.ts` as a process of its own, as a user starts it. `await using` kills what still runs. */
export type ServerProcess = AsyncDisposable & {
  pid: number
  /** The base URL once it listens. Rejects with its standard error when it ends before that. */
  url: Promise<string>
  out: () => string
  err: () => string
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  signal: (name: NodeJS.Signals) => void
}

/** @param through what starts the process, and where: nothing here, or a command that takes another one. */
export function startProcess(env: Record<string, string | undefined> = {}, through: string[] = []): ServerProcess {
  const [command = '', ...args] = [...through, process.execPath, 'bin/server.ts']
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DEMO_INTERN: 'false', CONSOLE: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endAtLast(child)
  if (env.DATA_DIR) endDaemonsAtLast(env.DATA_DIR)
  const told = { out: '', err: '' }
  const listening = Promise.withResolvers<string>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told.out += text
    const url = /^listening on (\S+)$/m.exec(told.out)?.[1]
    if (url) listening.resolve(url)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told.err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    listening.reject(new Error(`the server ended before it listened: ${told.err}`))
    return (code ?? signal) as number | NodeJS.Signals
  })
  listening.promise.catch(() => {})
  return {
    pid: child.pid!,
    url: listening.promise,
    out: () => told.out,
    err: () => told.err,
    ended,
    signal: (name) => void child.kill(name),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
