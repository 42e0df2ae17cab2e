import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildNetwork, lanOf } from './network.ts'

/**
 * Three servers, each a host of its own with haproxy and Postgres between them, driven through faults. Needs root, `ip`
 * (iproute2), `haproxy` and `postgresql`, all from Debian.
 */
const missing = [
  process.getuid?.() === 0 ? undefined : 'to be run as root',
  onPath('ip') ? undefined : 'ip (iproute2)',
  onPath('haproxy') ? undefined : 'haproxy',
  globSync('/usr/lib/postgresql/*/bin/initdb').length > 0 ? undefined : 'postgresql',
].filter((what) => what !== undefined)
if (missing.length > 0) {
  process.stderr.write(`The cluster tests need ${missing.join(', ')}.\n`)
  process.exit(2)
}

const prefix = `sb${process.pid}`
const remove = buildNetwork(prefix)
try {
  const { status } = spawnSync(
    'ip',
    [
      'netns',
      'exec',
      lanOf(prefix),
      process.execPath,
      '--test',
      '--test-reporter=spec',
      ...process.argv.slice(2),
      'test/cluster/faults.test.ts',
      'test/fail-over.test.ts',
    ],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: 'inherit',
      env: { ...process.env, CLUSTER_NETWORK: prefix },
    },
  )
  process.exitCode = status ?? 1
} finally {
  remove()
}

function onPath(command: string): boolean {
  const folders = `${process.env.PATH}:/usr/sbin:/sbin`.split(':')
  return folders.some((folder) => existsSync(`${folder}/${command}`))
}
