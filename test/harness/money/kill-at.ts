import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Preloaded into a server. Kills it, as with `kill -9`, at the first call of a function of Node whose arguments contain
 * a text: right before the call, or right after it started. KILL_AT: `before spawn settings.json`.
 */
const [when = '', name = '', text = ''] = (process.env.KILL_AT ?? '').split(/ (\w+) (.*)/s)

for (const functions of [childProcess, fs, fs.promises] as any[]) {
  const real = functions[name]
  if (typeof real !== 'function') continue
  functions[name] = (...args: unknown[]) => {
    const isMatch = args.some((argument) => JSON.stringify(argument)?.includes(text))
    if (isMatch && when === 'before') process.kill(process.pid, 'SIGKILL')
    const result = real(...args)
    if (!isMatch) return result
    if (result instanceof Promise) return result.finally(() => process.kill(process.pid, 'SIGKILL'))
    process.kill(process.pid, 'SIGKILL')
    return result
  }
}
syncBuiltinESMExports()
