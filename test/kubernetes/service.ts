import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '#test/cluster/postgres.ts'
import { askAt, type HostedServer } from '#test/harness/interns/intern-hosts.ts'
import { freePort } from '#test/harness/service/free-port.ts'
import { type ServerProcess, startProcess } from '#test/harness/service/server-process.ts'
import { until } from '#test/harness/until.ts'
import type { Cluster } from './cluster/cluster.ts'

export type PodServer = { url: string; apiKey: string; process: ServerProcess; ask: HostedServer['ask'] }

/** Servers on one Postgres whose interns are pods. */
type PodService = AsyncDisposable & {
  start: (name: string, env?: Record<string, string>) => Promise<PodServer>
}

const apiKey = `sb-v1-${'b'.repeat(64)}`
const managementKey = `sb-v1-${'a'.repeat(64)}`
const settings = { agents: { scripted: { command: 'node', args: ['/signalbox/bin/scripted-agent.ts', 'load'] } } }

/** A dedicated database, and the objects of the service in the cluster, which are removed with it. */
export async function startService(cluster: Cluster, shared: Record<string, string> = {}): Promise<PodService> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-pods-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  opened.defer(() => removeInterns(cluster))
  const postgres = opened.use(startPostgres('127.0.0.1', await freePort()))
  writeFileSync(join(folder, 'encryption.key'), randomBytes(32).toString('hex'), { mode: 0o600 })
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const servers = opened.use(new AsyncDisposableStack())
  const start: PodService['start'] = async (name, more = {}) => {
    const port = await freePort()
    mkdirSync(join(folder, name), { recursive: true })
    const server = servers.use(
      startProcess({
        ...cluster.settings,
        CONFIG: join(folder, 'settings.json'),
        DATABASE_URL: postgres.url('postgres'),
        ENCRYPTION_KEY_FILE: join(folder, 'encryption.key'),
        BOOTSTRAP_API_KEY: apiKey,
        BOOTSTRAP_MANAGEMENT_KEY: managementKey,
        DATA_DIR: join(folder, name),
        HOST: '0.0.0.0',
        PORT: String(port),
        KUBERNETES_SERVICE_URL: `http://${cluster.node.gateway}:${port}`,
        // Of a machine that is loaded ten times over.
        DATABASE_LOCK_TIMEOUT_MS: '60000',
        INTERN_AGENT_ANSWER_MS: '3600000',
        TURNS_PER_MINUTE_USER: '1000000',
        TURNS_PER_MINUTE_ORGANIZATION: '1000000',
        LOG_LEVEL: 'warn',
        ...shared,
        ...more,
      }),
    )
    await server.url
    const url = `http://127.0.0.1:${port}/api/v1`
    return { url, apiKey, process: server, ask: askAt(url) }
  }
  const all = opened.move()
  return { start, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const kinds = 'statefulset,pod,service,networkpolicy,secret,persistentvolumeclaim'
const testSelector = [
  ...['--namespace', 'signalbox-interns', '--selector'],
  'app.kubernetes.io/name in (signalbox-intern,signalbox-intern-files)',
]

/** Whatever a test did: the next one begins without interns. */
async function removeInterns({ plane: { kubectl } }: Cluster): Promise<void> {
  await kubectl(['delete', kinds, ...testSelector, '--wait=false', '--ignore-not-found'])
  await until(async () => (await kubectl(['get', kinds, ...testSelector, '--output', 'name'])) === '', 180_000)
}
