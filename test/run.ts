import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The test command. Files named on the command line, or all of them: those beside the code in one process, for speed;
 * those in `test/`, which start processes and push limits, in one process each.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

const named = process.argv.slice(2)
const beside = globSync(['src/**/*.test.ts', 'console/**/*.test.ts']).sort()
const above = globSync('test/**/*.test.ts').sort()
const wanted = (files: string[]) =>
  named.length ? files.filter((file) => named.some((part) => file.includes(part))) : files

if (!process.env.TEST_DATABASE_URL) {
  console.log('TEST_DATABASE_URL is not set: the Postgres half of the tests is skipped.')
}
const failed = [run(wanted(beside), 'none'), run(wanted(above), 'process')].some((status) => status !== 0)
process.exit(failed ? 1 : 0)

function run(files: string[], isolation: 'none' | 'process'): number {
  if (files.length === 0) return 0
  const reporter = process.stdout.isTTY ? 'spec' : 'dot'
  const args = ['--test', `--test-isolation=${isolation}`, '--test-reporter', process.env.CI ? 'spec' : reporter]
  const { status } = spawnSync(process.execPath, [...args, ...files], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compile' },
  })
  return status ?? 1
}
