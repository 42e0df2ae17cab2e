import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { kube } from './kube.ts'
import { missing } from './requirements.ts'

/** Interns as pods of a real cluster on this machine, driven through faults: `npm run test:kubernetes -- [name of a test]`. */
const lacking = missing(kube)
if (lacking.length > 0) {
  process.stderr.write(`The tests on Kubernetes need ${lacking.join('; ')}.\n`)
  process.exit(2)
}
const [name] = process.argv.slice(2)
// All files in one process, for they share the cluster.
const args = ['--test', '--test-isolation=none', '--test-concurrency=1', '--test-reporter=spec']
const { status } = spawnSync(
  process.execPath,
  [...args, ...(name ? [`--test-name-pattern=${name}`] : []), 'test/kubernetes/*.test.ts'],
  {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, TEST_KUBERNETES: '1' },
  },
)
process.exitCode = status ?? 1
