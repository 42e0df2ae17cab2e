import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '#platform/db/open.ts'
import { type DatabaseKind, newTestStore, type TestStore } from '../database/databases.ts'
import { endDaemonsIn } from '../service/leftovers.ts'
import { type ServerProcess, startProcess } from '../service/server-process.ts'
import { scripted } from './intern-chat.ts'

const apiKey = `sb-v1-${'b'.repeat(64)}`
const cent = 0.01
const priced = {
  models: {
    'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 0, request: cent } } } },
  },
}

/** A server as a process, and a client for it. Any request can be cut off. */
export type KilledServer = Awaited<ReturnType<KilledInterns['start']>>

/**
 * One store for servers that are killed. Each request of an intern costs a cent, and `scripted` is an agent. With
 * Postgres, `start` starts one more server beside the running ones; each has a separate data folder.
 */
export type KilledInterns = AsyncDisposable & {
  testStore: TestStore
  start: (env?: Record<string, string>) => Promise<{
    server: ServerProcess
    url: string
    apiKey: string
    ask: (method: string, path: string, sent?: { body?: unknown }) => Promise<any>
  }>
}

export async function killedInterns(kind: DatabaseKind, settings: object = {}): Promise<KilledInterns> {
  const testStore = await newTestStore(kind)
  const { data_dir, database_url } = testStore.settings
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-killed-'))
  const config = join(folder, 'settings.json')
  writeFileSync(join(folder, 'catalogue.json'), JSON.stringify(priced))
  writeFileSync(config, JSON.stringify({ ...scripted, ...settings, catalogue_file: join(folder, 'catalogue.json') }))
  const servers: ServerProcess[] = []
  return {
    testStore,
    async start(env = {}) {
      const server = startProcess({
        DATA_DIR: data_dir,
        DATABASE_URL: database_url,
        CONFIG: config,
        BOOTSTRAP_API_KEY: apiKey,
        INTERN_USERS_FROM: '0',
        TURNS_PER_MINUTE_USER: '100000',
        TURNS_PER_MINUTE_ORGANIZATION: '100000',
        ...env,
        ...(env.KILL_AT && { NODE_OPTIONS: `--import ${new URL('../money/kill-at.ts', import.meta.url).href}` }),
      })
      servers.push(server)
      const url = await server.url
      return { server, url, apiKey, ask: (method, path, sent) => ask(url, method, path, sent) }
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]()
      endDaemonsIn(data_dir)
      for (const pid of processesIn(data_dir)) process.kill(pid, 'SIGKILL')
      await testStore.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, method: string, path: string, { body }: { body?: unknown } = {}) {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** The processes whose command line names a folder. */
export function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandOf(pid).includes(folder))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The number of keys of interns. */
export async function keysOfInterns({ settings }: TestStore): Promise<number> {
  // The embedded database is opened read-only beside its server.
  const db = await openDb(settings)
  const rows = await db.query.selectFrom('api_keys').where('kind', '=', 'intern').select('hash').execute()
  await db.close()
  return rows.length
}
