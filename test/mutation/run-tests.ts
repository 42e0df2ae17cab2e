import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const reporter = new URL('./reporter.ts', import.meta.url).href

type Options = { timeoutMs: number; env?: Record<string, string>; stops?: boolean }

/**
 * Runs test files in one separate process.
 * @param stops whether the first test that fails ends it.
 * @returns undefined when all passed in time, else which file did not, where that is known.
 */
export async function runTests(
  root: string,
  files: string[],
  { timeoutMs, env = {}, stops = true }: Options,
): Promise<string | undefined> {
  const { CI: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const args = ['--test', '--test-isolation=none', `--test-reporter=${reporter}`, '--test-force-exit', ...files]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
    // A separate process group: processes that a mutant leaves end with it.
    detached: true,
    env: { ...inherited, ...env },
  })
  // The end of this process also ends the child.
  const endWithAll = () => endGroup(child.pid)
  process.once('exit', endWithAll)
  const late = setTimeout(() => endGroup(child.pid), timeoutMs)
  let failed: string | undefined
  child.stdout.setEncoding('utf8').on('data', (message: string) => {
    failed ??= message.split('\n')[0]!.replace(`${root}/`, '')
    if (stops) endGroup(child.pid)
  })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearTimeout(late)
  process.off('exit', endWithAll)
  endGroup(child.pid)
  endDaemonsOf(root)
  return failed ?? (code === 0 ? undefined : 'unknown')
}

/** Daemons of interns have separate process groups, and run the code of the copied tree. */
function endDaemonsOf(root: string): void {
  for (const pid of readdirSync('/proc')) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${root}/bin/`)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // No process, or it has ended.
    }
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
