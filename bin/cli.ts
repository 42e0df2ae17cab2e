import { enableCompileCache } from 'node:module'
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

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  screen: () => ({ input: process.stdin, output: process.stdout }),
})
