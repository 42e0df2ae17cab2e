import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newTestStore } from '../database/databases.ts'
import { endDaemonsIn } from '../service/leftovers.ts'
import { type ServerProcess, startProcess } from '../service/server-process.ts'
import type { Reply } from '../service/service.ts'

const apiKey = `sb-v1-${'b'.repeat(64)}`
const managementKey = `sb-v1-${'a'.repeat(64)}`
const script = fileURLToPath(new URL('../../../bin/scripted-agent.ts', import.meta.url))

/** A server on a separate host: a name and an exclusive data folder. */
export type HostedServer = {
  name: string
  dataDir: string
  url: string
  process: ServerProcess
  ask: (method: string, path: string, options?: { body?: unknown; key?: string | null }) => Promise<Reply>
}

type InternHostsOfTest = AsyncDisposable & {
  apiKey: string
  managementKey: string
  start: (name: string, env?: Record<string, string>) => Promise<HostedServer>
}

/** Servers on one Postgres, each of which counts as a host. All of them end with it. */
export async function startInternHosts(shared: Record<string, string> = {}): Promise<InternHostsOfTest> {
  const cleanup = new AsyncDisposableStack()
  const testStore = await newTestStore('postgres')
  cleanup.defer(testStore.remove)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-hosts-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const keyFile = join(folder, 'encryption.key')
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 })
  const settings = join(folder, 'settings.json')
  const scripted = { command: process.execPath, args: [script, 'load'] }
  writeFileSync(settings, JSON.stringify({ agents: { scripted } }))
  const env = {
    CONFIG: settings,
    DATABASE_URL: testStore.settings.database_url!,
    ENCRYPTION_KEY_FILE: keyFile,
    BOOTSTRAP_API_KEY: apiKey,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    INTERN_ADDRESS: '127.0.0.1',
    // Daemons of one user share their compiled code, and so start sooner.
    INTERN_USERS_FROM: '0',
    // Resources that are named after an intern's id alone are shared by all hosts of this machine.
    INTERN_CONTROL_GROUPS: 'false',
    TURNS_PER_MINUTE_USER: '1000000',
    TURNS_PER_MINUTE_ORGANIZATION: '1000000',
    LOG_LEVEL: 'warn',
    ...shared,
  }
  const start: InternHostsOfTest['start'] = async (name, serverEnv = {}) => {
    const dataDir = join(folder, name)
    mkdirSync(dataDir, { recursive: true })
    cleanup.defer(() => endDaemonsIn(dataDir))
    const server = cleanup.use(startProcess({ ...env, DATA_DIR: dataDir, INTERN_HOST: name, ...serverEnv }))
    const url = await server.url
    return { name, dataDir, url, process: server, ask: askAt(url) }
  }
  return { apiKey, managementKey, start, [Symbol.asyncDispose]: () => cleanup.disposeAsync() }
}

/**
 * A client of a service at this address. Each request opens a new connection, so that a balancer can send it anywhere.
 */
export function askAt(url: string): HostedServer['ask'] {
  return async (method, path, { body, key = apiKey } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
}
