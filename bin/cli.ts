import { enableCompileCache } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
const { runCli } = await import('#cli/cli.ts')
const { readErrorText } = await import('#platform/process/system-error.ts')

// A closed pipe, as after `| head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.stderr.write(`The output cannot be written: ${readErrorText(error)}.\n`)
  process.exit(1)
})

// A signal ends the process by `exit`, so that a command can remove an unfinished file.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => process.exit(128 + constants.signals[name]))

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  screen: () => ({ input: process.stdin, output: process.stdout }),
})
