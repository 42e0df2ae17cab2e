import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Job, jobsOf, longerRuns, selectFiles } from './runner/jobs.ts'
import { type JobResult, runJobs } from './runner/run-jobs.ts'

/** The number of failed jobs that are repeated. More of them have a common cause. */
const maxRepeated = 5

/**
 * Runs tests: the quick ones, or all of them. Arguments select files by a part of their path. `run.ts` starts this program.
 *
 *   --all          also the files in test/slow and test/console
 *   --long         the files that take longest and are not part of CI, and others with more repetitions
 *   --skip-quick   without the files that `npm test` runs
 */
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    'skip-quick': { type: 'boolean', default: false },
  },
})

if (!process.env.TEST_DATABASE_URL) {
  console.log('TEST_DATABASE_URL is not set: the Postgres half of the tests is skipped.')
}
const files = selectFiles(globSync(['src/**/*.test.ts', 'console/**/*.test.ts', 'test/**/*.test.ts']), {
  all: values.all,
  long: values.long,
  skipQuick: values['skip-quick'],
  words: positionals,
})
const jobs = jobsOf(files).map((job) => (values.long ? { ...job, env: longerRuns[job.name] ?? {} } : job))
// Test processes wait about two fifths of the time, so twice as many as cores keep the cores busy for most of the run.
const cores = availableParallelism()
const first = await runJobs(jobs, { minRunning: 2 * cores, maxRunning: 3 * cores })
const repeated = await repeatFailed(jobs.filter(({ name }) => !hasPassed(first, name)))
const results = first.map((result) => repeated.find(({ name }) => name === result.name) ?? result)
printSummary(results)
process.exit(results.every((result) => result.passed) ? 0 : 1)

/**
 * Runs a few failed jobs once more, one at a time: tests that start servers and agents can fail because the machine is overloaded.
 * The summary lists those that pass only then, because a race in the product looks the same.
 */
async function repeatFailed(failed: Job[]): Promise<JobResult[]> {
  if (failed.length === 0 || failed.length > maxRepeated) return []
  console.log(`\nOnce more, one at a time: ${failed.map(({ name }) => name).join(', ')}`)
  return runJobs(failed, { minRunning: 1, maxRunning: 1 })
}

function hasPassed(all: JobResult[], name: string): boolean {
  return all.some((result) => result.name === name && result.passed)
}

function printSummary(all: JobResult[]): void {
  const slowest = all.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  console.log(`\n${files.length} test files. The slowest:`)
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`)
  printNames(
    'Passed only when repeated',
    repeated.filter(({ passed }) => passed),
  )
  printNames(
    'Failed',
    all.filter(({ passed }) => !passed),
  )
}

function printNames(heading: string, all: JobResult[]): void {
  if (all.length > 0) console.log(`\n${heading}:\n${all.map(({ name }) => `  ${name}`).join('\n')}`)
}
