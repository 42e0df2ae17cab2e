import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'

const managementKey = `sb-v1-${'a'.repeat(64)}`
const apiKey = `sb-v1-${'b'.repeat(64)}`

/** A defect at a signal in each process of a service: in an unawaited promise, or outside of any promise. */
const defects = `data:text/javascript,
  process.on('SIGURG', () => Promise.reject(new Error('unheard of')));
  process.on('SIGWINCH', () => setImmediate(() => { throw new Error('not caught') }))`.replaceAll(/\s+/g, ' ')

async function serve(workers: number) {
  const testStore = await newEmptyTestStore('sqlite')
  const env = {
    ...{ DATA_DIR: testStore.settings.data_dir, WORKERS: String(workers), LOG_FORMAT: 'json' },
    ...{ BOOTSTRAP_MANAGEMENT_KEY: managementKey, BOOTSTRAP_API_KEY: apiKey },
  }
  const start = (more = {}) => startProcess({ ...env, ...more })
  const server = start({ NODE_OPTIONS: `--import "${defects}"` })
  const url = await server.url
  const lines = () =>
    server
      .err()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  return {
    ...{ server, url, start },
    loggedError: (message: string) => until(() => lines().find(({ err }) => err?.message === message)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await testStore.remove()
    },
  }
}

const ask = (url: string, path: string, key: string, body?: object) =>
  fetch(url + path, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  }).then((response) => response.json()) as Promise<any>

test('an unhandled rejection is logged with its stack, and the service continues', async () => {
  await using at = await serve(1)
  at.server.signal('SIGURG')
  const line = await at.loggedError('unheard of')
  assert.match(line.err.stack, /^Error: unheard of\n +at /)
  assert.equal((await ask(at.url, '/key', apiKey)).data.is_management_key, false)
})

test('an uncaught error is logged, and ends the service after writing the ledger', async () => {
  await using at = await serve(1)
  const request = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'hello' }] }
  const { id } = await ask(at.url, '/chat/completions', apiKey, request)
  at.server.signal('SIGWINCH')
  assert.equal(await at.server.ended, 1)
  assert.match((await at.loggedError('not caught')).err.stack, /^Error: not caught\n +at /)
  await using again = at.start()
  assert.equal((await ask(await again.url, `/generation?id=${id}`, apiKey)).data.upstream_id, id)
})

test('a worker ends at an uncaught error, and another replaces it', async () => {
  await using at = await serve(2)
  const pids = async () => {
    const { data } = await ask(at.url, '/status', managementKey)
    return data.host.processes.map(({ pid }: any) => pid) as number[]
  }
  const both = () => until(async () => (await pids().catch(() => [] as number[])).length === 2 && pids())
  const [first] = await both()
  process.kill(first!, 'SIGWINCH')
  assert.match((await at.loggedError('not caught')).err.stack, /^Error: not caught\n +at /)
  await until(async () => !(await both()).includes(first!))
})
