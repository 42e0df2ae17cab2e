import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The check before a commit: types, lint, format, language, and the architecture's own tests. */
const root = fileURLToPath(new URL('..', import.meta.url))
const steps: [name: string, command: string, args: string[]][] = [
  ['types', 'node_modules/.bin/tsc', ['--noEmit']],
  ['types of the console', 'node_modules/.bin/tsc', ['-p', 'console']],
  ['types of the API in the console', process.execPath, ['test/documents/console-types.ts', '--check']],
  ['lint and format', 'node_modules/.bin/biome', ['check', '.']],
  ['language', process.execPath, ['test/language/check.ts']],
  ['architecture', process.execPath, ['--test', 'test/architecture.test.ts']],
]

let failed = false
for (const [name, command, args] of steps) {
  console.log(`== ${name}`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) failed = true
}
process.exit(failed ? 1 : 0)
