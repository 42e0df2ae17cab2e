import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { jobsOf, selectFiles } from './runner/jobs.ts'
import { type JobResult, runJobs } from './runner/run-jobs.ts'

/**
 * Runs tests: the quick ones, or all of them. Arguments select files by a part of their path. `run.ts` starts this program.
 *
 *   --all          also the files in test/slow and test/console
 *   --skip-quick   without the files that `npm test` runs
 */
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, 'skip-quick': { type: 'boolean', default: false } },
})

if (!process.env.TEST_DATABASE_URL) {
  console.log('TEST_DATABASE_URL is not set: the Postgres half of the tests is skipped.')
}
const files = selectFiles(globSync(['src/**/*.test.ts', 'console/**/*.test.ts', 'test/**/*.test.ts']), {
  all: values.all,
  skipQuick: values['skip-quick'],
  words: positionals,
})
// Test processes wait about two fifths of the time, so twice as many as cores keep the cores busy.
const results = await runJobs(jobsOf(files), availableParallelism() * 2)
printSummary(results)
process.exit(results.every((result) => result.passed) ? 0 : 1)

function printSummary(all: JobResult[]): void {
  const slowest = all.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  console.log(`\n${files.length} test files. The slowest:`)
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`)
  const failed = all.filter((result) => !result.passed)
  if (failed.length > 0) console.log(`\nFailed:\n${failed.map(({ name }) => `  ${name}`).join('\n')}`)
}
