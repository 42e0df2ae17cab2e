import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { idleMeter } from './idle-time.ts'
import type { Job } from './jobs.ts'
import { endProcesses, processesIn } from './left-processes.ts'

export type JobResult = { name: string; passed: boolean; seconds: number }

/** Time for processes that are already ending when the tests have ended. */
const graceMs = 10_000

/** Ends a test that waits forever, so that its name is reported. The limit is long, because the machine can be busy. */
const testTimeoutMs = 1_800_000

/** How often a core that became idle is noticed. */
const checkMs = 1000
/** The share of idle processor time at which there is room for another job. */
const idleShare = 0.25

/**
 * Runs jobs in their order, and prints what each one printed when it ends. `minRunning` run at once, more than there are cores,
 * because jobs often wait; up to `maxRunning` while a core is idle nevertheless.
 */
export async function runJobs(
  jobs: Job[],
  { minRunning, maxRunning }: { minRunning: number; maxRunning: number },
  run: (job: Job) => Promise<JobResult> = runJob,
): Promise<JobResult[]> {
  const results: JobResult[] = []
  const running = new Set<Promise<unknown>>()
  const idle = idleMeter()
  for (const job of jobs) {
    while (running.size >= minRunning) {
      const hasEnded = await Promise.race([...running, sleep(checkMs, false)])
      if (hasEnded !== false) continue
      if (running.size < maxRunning && idle() >= idleShare) break
    }
    const ended: Promise<unknown> = run(job).then((result) => {
      results.push(result)
      running.delete(ended)
    })
    running.add(ended)
  }
  await Promise.all(running)
  return results
}

/** Each job has its own folder for temporary files, which also shows which processes it left behind. */
async function runJob({ name, files, env = {} }: Job): Promise<JobResult> {
  const startedAt = performance.now()
  // Below `/tmp` and short: the path of a socket has at most 107 bytes.
  const folder = mkdtempSync('/tmp/sb-')
  // Interns run as other users, so those must reach it as they reach `/tmp`.
  chmodSync(folder, 0o1777)
  try {
    const { output, exitCode } = await runTests(files, folder, env)
    const leftovers = await processesIn(folder, graceMs)
    const seconds = (performance.now() - startedAt) / 1000
    process.stdout.write(`\n== ${name} (${seconds.toFixed(1)} s)\n${output}`)
    if (exitCode !== 0) console.log(`${name} failed with ${exitCode}.`)
    if (leftovers.length > 0)
      console.log(`${name} left processes behind:${leftovers.map(({ command }) => `\n${command}`)}`)
    return { name, passed: exitCode === 0 && leftovers.length === 0, seconds }
  } finally {
    await endProcesses(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runTests(files: string[], folder: string, variables: Record<string, string>) {
  const reporter = process.env.CI || process.stdout.isTTY ? 'spec' : 'dot'
  const options = [`--test-reporter=${reporter}`, '--test-isolation=none', `--test-timeout=${testTimeoutMs}`]
  const child = spawn(process.execPath, ['--test', ...options, ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...variables,
      ...process.env,
      TMPDIR: folder,
      NODE_COMPILE_CACHE: join(process.cwd(), 'node_modules/.cache/compile'),
    },
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const closed = once(child, 'close')
  const [code, signal] = await once(child, 'exit')
  // A process that the tests left behind can keep the pipes open.
  await Promise.race([closed, sleep(2000)])
  return { output: Buffer.concat(output).toString(), exitCode: signal ?? code }
}
