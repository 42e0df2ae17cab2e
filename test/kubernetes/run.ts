import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { kube } from './kube/kube.ts'
import { makeOwnFolder, removeLeftovers, removeTraces } from './leftovers.ts'
import { missing } from './requirements.ts'

/** Interns as pods of a real cluster on this machine, driven through faults: `npm run test:kubernetes -- [name of a test]`. */
const lacking = missing(kube)
if (lacking.length > 0) {
  process.stderr.write(`The tests on Kubernetes need ${lacking.join('; ')}.\n`)
  process.exit(2)
}
const say = (what: string) => void process.stderr.write(`${what}\n`)
await removeLeftovers(say)
const [name] = process.argv.slice(2)
const folder = makeOwnFolder()
// The user of Postgres goes through it.
chmodSync(folder, 0o711)
// All files in one process, for they share the cluster.
const args = ['--test', '--test-isolation=none', '--test-concurrency=1', '--test-reporter=spec']
const tests = spawn(
  process.execPath,
  [...args, ...(name ? [`--test-name-pattern=${name}`] : []), 'test/kubernetes/*.test.ts'],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    // In a separate process group: this process handles Ctrl-C and cleans up.
    detached: true,
    env: { ...process.env, TEST_KUBERNETES: '1', TMPDIR: folder },
  },
)
const ended = once(tests, 'exit')
const interrupted = Promise.race(
  (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal).then(() => signal)),
)
const outcome = await Promise.race([ended, interrupted])
if (typeof outcome === 'string') {
  // A second signal does not interrupt the clean-up.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  say(`\n${outcome}: clearing up.`)
  tests.kill('SIGKILL')
  await ended
}
await removeTraces(folder)
await removeLeftovers(say)
process.exit(typeof outcome === 'string' ? 130 : (tests.exitCode ?? 1))
