import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { currentBundle } from '../../../bin/current-bundle.ts'
import { killAfterTests, killDaemonsAfterTests } from './leftovers.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A server in a separate process, started as by `npm start`. `await using` kills it. */
export type ServerProcess = AsyncDisposable & {
  pid: number
  /** The base URL once it listens. Rejects with its standard error if it ends before that. */
  url: Promise<string>
  out: () => string
  err: () => string
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  signal: (name: NodeJS.Signals) => void
}

/**
 * @param wrapper a command that starts the command that follows it, such as `setsid`.
 * @param script the program; `bin/server.ts` starts from the sources.
 */
export function startProcess(
  env: Record<string, string | undefined> = {},
  wrapper: string[] = [],
  script = serverScript(),
): ServerProcess {
  const [command = '', ...args] = [...wrapper, process.execPath, script]
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DEMO_INTERN: 'false', CONSOLE: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  killAfterTests(child)
  if (env.DATA_DIR) killDaemonsAfterTests(env.DATA_DIR)
  const result = { out: '', err: '' }
  const listening = Promise.withResolvers<string>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    result.out += text
    const url = /^listening on (\S+)$/m.exec(result.out)?.[1]
    if (url) listening.resolve(url)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    result.err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    listening.reject(new Error(`the server ended before it listened: ${result.err}`))
    return (code ?? signal) as number | NodeJS.Signals
  })
  listening.promise.catch(() => {})
  return {
    pid: child.pid!,
    url: listening.promise,
    out: () => result.out,
    err: () => result.err,
    ended,
    signal: (name) => void child.kill(name),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The current bundle, which starts with half the processor time, else the sources. */
function serverScript(): string {
  const bundle = currentBundle()
  return bundle ? fileURLToPath(new URL('server.mjs', bundle)) : 'bin/server.ts'
}
