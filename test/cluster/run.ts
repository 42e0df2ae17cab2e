import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installOldVersion } from './install-old-version.ts'
import { buildNetwork, lanOf } from './network.ts'

/**
 * Runs the tests of several servers on one machine: each server of `faults.test.ts` has its own network namespace. Needs
 * root, `ip` (iproute2), `haproxy` and `postgresql`, all from Debian. Arguments that start with `-` are options of the test
 * runner; the others select files whose path contains them.
 */
const files = [
  'test/cluster/faults.test.ts',
  'test/cluster/proxies.test.ts',
  'test/cluster/upgrade.test.ts',
  'test/cluster/versions.test.ts',
  'test/slow/database/fail-over.test.ts',
]

const requirements: [string, boolean][] = [
  ['to be run as root', process.getuid?.() === 0],
  ['ip (iproute2)', isOnPath('ip')],
  ['haproxy', isOnPath('haproxy')],
  ['postgresql', globSync('/usr/lib/postgresql/*/bin/initdb').length > 0],
]
const missing = requirements.filter(([, isMet]) => !isMet).map(([name]) => name)
if (missing.length > 0) {
  process.stderr.write(`The cluster tests need ${missing.join(', ')}.\n`)
  process.exit(2)
}

const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
const selected = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
// Before the network is built: npm needs the network of this host.
const oldVersion = selected.some((file) => /upgrade|versions/.test(file)) ? findOldVersion() : {}
const prefix = `sb${process.pid}`
const removeNetwork = buildNetwork(prefix)
try {
  const command = [process.execPath, '--test', '--test-reporter=spec', '--test-concurrency=1', ...options, ...selected]
  const { status } = spawnSync('ip', ['netns', 'exec', lanOf(prefix), ...command], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, CLUSTER_NETWORK: prefix, ...oldVersion },
  })
  process.exitCode = status ?? 1
} finally {
  removeNetwork()
}

function findOldVersion(): Record<string, string> {
  try {
    return { OLD_VERSION: installOldVersion() }
  } catch (error) {
    return { OLD_VERSION_MISSING: (error as Error).message }
  }
}

function isOnPath(command: string): boolean {
  const folders = `${process.env.PATH}:/usr/sbin:/sbin`.split(':')
  return folders.some((folder) => existsSync(`${folder}/${command}`))
}
