import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { inGoodOrder } from './good-order.ts'

/**
 * Runs the test files whose path contains a given word, or all files: those beside the code in one process for each
 * core, for speed; those in `test/`, which start processes and reach limits, in one process each.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

const named = process.argv.slice(2)
const beside = globSync(['src/**/*.test.ts', 'console/**/*.test.ts']).sort()
const above = inGoodOrder(globSync('test/**/*.test.ts').sort())
const selected = (files: string[]) =>
  named.length ? files.filter((file) => named.some((part) => file.includes(part))) : files

if (!process.env.TEST_DATABASE_URL) {
  console.log('TEST_DATABASE_URL is not set: the Postgres half of the tests is skipped.')
}
const cores = availableParallelism()
process.env.NODE_COMPILE_CACHE = 'node_modules/.cache/compile'
const isSpec = Boolean(process.env.CI || process.stdout.isTTY)
const passed = [await runBeside(selected(beside)), await runAbove(selected(above))]
process.exit(passed.every(Boolean) ? 0 : 1)

/** Shows the output of the first process at once, that of the others when they have ended, so that lines are not mixed. */
async function runBeside(files: string[]): Promise<boolean> {
  // Two are good for a single core, too: they wait at times.
  const atOnce = Math.max(2, cores)
  const shares = Array.from({ length: Math.min(atOnce, files.length) }, (_, share) =>
    files.filter((_file, at) => at % atOnce === share),
  )
  const all = shares.map(async (share, at) => {
    const child = start(['--test-isolation=none', ...share], at === 0 ? 'inherit' : 'pipe')
    const printed = child.stdout && text(child.stdout)
    const passed = await succeeds(child)
    if (printed) process.stdout.write(await printed)
    return passed
  })
  return (await Promise.all(all)).every(Boolean)
}

/** They wait two fifths of the time: half as many again as there are cores keep those busy. */
async function runAbove(files: string[]): Promise<boolean> {
  if (files.length === 0) return true
  const events = run({ files, isolation: 'process', concurrency: Math.ceil(cores * 1.5) })
  let passed = true
  events.on('test:fail', ({ todo }) => (passed &&= todo !== undefined))
  await pipeline(isSpec ? events.compose(spec) : events.compose(dot), process.stdout, { end: false })
  return passed
}

function start(args: string[], stdout: 'inherit' | 'pipe'): ChildProcess {
  return spawn(process.execPath, ['--test', '--test-reporter', isSpec ? 'spec' : 'dot', ...args], {
    stdio: ['ignore', stdout, 'inherit'],
  })
}

async function succeeds(child: ChildProcess): Promise<boolean> {
  const [status, signal] = await once(child, 'exit')
  if (signal) console.log(`A process of tests was ended by ${signal}.`)
  return status === 0
}
