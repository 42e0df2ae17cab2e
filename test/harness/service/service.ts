import pino from 'pino'
import { type Service, startService } from '#app/start.ts'
import type { SettingSources } from '#platform/config/load.ts'
import { type Config, Settings } from '#platform/config/settings.ts'
import { newUuid } from '#platform/core/id.ts'
import type { RequestTimeouts } from '#platform/http/app.ts'
import { useBundledPrograms } from '#provision/processes/programs.ts'
import { currentBundle } from '../../../bin/current-bundle.ts'
import { type DatabaseKind, newTestStore, type TestStore } from '../database/databases.ts'
import { checkResponses } from './described-responses.ts'
import { noteForFailure } from './failure-notes.ts'
import { killDaemonsAfterTests } from './leftovers.ts'

export type Reply = { status: number; headers: Headers; body: any; text: string }

type Ask = { key?: string | null; body?: unknown; headers?: Record<string, string> }

/** A real service on a real socket, its own store, and a client for it. `await using` ends it. */
export type TestService = AsyncDisposable & {
  url: string
  metricsUrl: string | undefined
  managementKey: string
  apiKey: string
  testStore: TestStore
  /** Sends the API key by default; `null` sends none. A `body` is sent as JSON. */
  ask: (method: string, path: string, options?: Ask) => Promise<Reply>
  /** The same with the management key. */
  manage: (method: string, path: string, body?: unknown) => Promise<Reply>
  /** The effect of SIGHUP on the process. */
  reloadCatalogue: Service['reloadCatalogue']
  stop: () => Promise<void>
}

type Options = {
  kind?: DatabaseKind
  testStore?: TestStore
  settings?: Partial<Config>
  /** The source of each setting; unknown by default. */
  sources?: SettingSources
  now?: () => number
  /** The monotonic clock of requests. */
  elapsed?: () => number
  /** Environment variables that hold providers' credentials. */
  variables?: Record<string, string>
  timeouts?: RequestTimeouts
  /** How long an upload can pause. */
  uploadPauseMs?: number
  /** How long a client can read nothing of its response. */
  unreadResponseMs?: number
  /** Whether statuses and headers that the API description lacks fail the test, as fields do. */
  strictResponses?: boolean
  /** Receives each line of the log. */
  log?: (line: string) => void
}

const managementKey = `sb-v1-${'a'.repeat(64)}`
const apiKey = `sb-v1-${'b'.repeat(64)}`

// Interns start from the current bundle with a third of the processor time. The tests of the daemon start it from its sources.
const bundle = currentBundle()
if (bundle) useBundledPrograms(new URL('interns/', bundle))

/** Every response is compared with the API description. A second service on the same `testStore` shares its store. */
export async function startTestService(options: Options = {}): Promise<TestService> {
  const testStore = options.testStore ?? (await newTestStore(options.kind ?? 'sqlite'))
  killDaemonsAfterTests(testStore.settings.data_dir)
  const config = Settings.parse({
    port: 0,
    bootstrap_management_key: managementKey,
    bootstrap_api_key: apiKey,
    shutdown_grace_ms: 200,
    demo_intern: 'false',
    // Bundling takes a process.
    console: 'false',
    ...testStore.settings,
    ...options.settings,
  })
  const { timeouts, uploadPauseMs, unreadResponseMs } = options
  const service = await startService(
    {
      config,
      settingSources: options.sources ?? {},
      log: options.log
        ? pino({ level: 'info' }, { write: options.log })
        : pino({ level: process.env.TEST_LOG ?? 'silent' }),
      now: options.now ?? Date.now,
      elapsed: options.elapsed,
      variable: (name) => options.variables?.[name] ?? (name === 'PATH' ? process.env.PATH : undefined),
      newId: newUuid,
    },
    {
      observe: (app) => checkResponses(app, options.strictResponses === true),
      timeouts,
      uploadPauseMs,
      unreadResponseMs,
    },
  )

  async function ask(method: string, path: string, { key = apiKey, body, headers }: Ask = {}): Promise<Reply> {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) noteForFailure(`${method} ${path} was answered ${response.status}: ${text.slice(0, 500)}`)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined, text }
  }

  return {
    url: service.url,
    metricsUrl: service.metricsUrl,
    managementKey,
    apiKey,
    testStore,
    ask,
    manage: (method, path, body) => ask(method, path, { key: managementKey, body }),
    reloadCatalogue: service.reloadCatalogue,
    stop: service.stop,
    async [Symbol.asyncDispose]() {
      await service.stop()
      if (!options.testStore) await testStore.remove()
    },
  }
}
