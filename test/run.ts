import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ended } from './harness/failed-files.ts'

/**
 * The test command. Files named on the command line, or all of them: those beside the code in one process, for speed;
 * those in `test/`, which start processes and push limits, in one process each.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

/** More failures than these are no accident. */
const mostTriedAgain = 3

const named = process.argv.slice(2)
const beside = globSync(['src/**/*.test.ts', 'console/**/*.test.ts']).sort()
const above = globSync('test/**/*.test.ts').sort()
const wanted = (files: string[]) =>
  named.length ? files.filter((file) => named.some((part) => file.includes(part))) : files

if (!process.env.TEST_DATABASE_URL) {
  console.log('TEST_DATABASE_URL is not set: the Postgres half of the tests is skipped.')
}
const found = [run(wanted(beside), 'none'), run(wanted(above), 'process')]
const failed = found.some(({ status }) => status !== 0)
process.exit(failed && !passAlone(found) ? 1 : 0)

/** `failedFiles` is undefined where it is not known: the process died, or a test stands in no file of its own. */
type Found = { status: number; failedFiles: string[] | undefined }

function run(files: string[], isolation: 'none' | 'process'): Found {
  if (files.length === 0) return { status: 0, failedFiles: [] }
  const told = join(mkdtempSync(join(tmpdir(), 'signalbox-tests-')), 'failed')
  const reporters = [
    `--test-reporter=${process.env.CI || process.stdout.isTTY ? 'spec' : 'dot'}`,
    '--test-reporter-destination=stdout',
    '--test-reporter=./test/harness/failed-files.ts',
    `--test-reporter-destination=${told}`,
  ]
  const { status } = spawnSync(process.execPath, ['--test', `--test-isolation=${isolation}`, ...reporters, ...files], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compile' },
  })
  const lines = existsSync(told) ? readFileSync(told, 'utf8').split('\n').filter(Boolean) : []
  rmSync(dirname(told), { recursive: true })
  const failedFiles = [...new Set(lines.slice(0, -1))]
  const isKnown = lines.at(-1) === ended && failedFiles.every((file) => files.includes(file))
  return { status: status ?? 1, failedFiles: isKnown ? failedFiles : undefined }
}

/**
 * Thousands of tests start servers, browsers and sandboxes on machines that may be loaded ten times over. Files that
 * failed get a second try, each alone, if they are few; what passes then is told, as a test to be mended.
 */
function passAlone(found: Found[]): boolean {
  const files = found.flatMap(({ failedFiles }) => failedFiles ?? Array<string>(mostTriedAgain + 1).fill('unknown'))
  if (files.length === 0 || files.length > mostTriedAgain) return false
  console.log(`\nFailed, and tried once more, each alone: ${files.join(', ')}`)
  const again = files.map((file) => ({ file, passed: run([file], 'process').status === 0 }))
  for (const { file, passed } of again) console.log(`${file}: ${passed ? 'passed alone: UNRELIABLE' : 'failed again'}`)
  return again.every(({ passed }) => passed)
}
