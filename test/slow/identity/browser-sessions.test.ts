import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { newTestStore, onOneDatabase, type TestStore } from '../../harness/database/databases.ts'
import { apiKey, startPriced } from '../../harness/service/load/priced-servers.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { timed, until } from '../../harness/until.ts'

/** The longest time until the end of a session applies at every server. */
const promisedMs = 1000

/** Uses a separate connection, so that any of the workers can get it. */
function statusOf(url: string, method: string, cookie: string, csrf: string): Promise<number> {
  const headers = { cookie, origin: new URL(url).origin, 'x-csrf-token': csrf }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request(`${url}/sessions/current`, { method, headers, agent: new Agent() }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0))
  })
    .on('error', reject)
    .end()
  return promise
}

async function signIn(url: string): Promise<{ cookie: string; csrf: string }> {
  const headers = { 'content-type': 'application/json', origin: new URL(url).origin }
  const response = await fetch(`${url}/sessions`, { method: 'POST', headers, body: JSON.stringify({ key: apiKey }) })
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!
  return { cookie, csrf: ((await response.json()) as any).data.csrf_token }
}

/** The results of this many requests, each on a separate connection. */
async function statuses(urls: string[], { cookie, csrf }: { cookie: string; csrf: string }): Promise<Set<number>> {
  const requests = urls.flatMap((url) => Array.from({ length: 30 }, () => statusOf(url, 'GET', cookie, csrf)))
  return new Set(await Promise.all(requests))
}

/** Three workers, and on Postgres a second server with three more. */
async function startAll(testStore: TestStore, kind: 'sqlite' | 'postgres') {
  const [first] = await startPriced(testStore, 1, undefined, { WORKERS: '3' })
  const more = kind === 'postgres' ? startProcess({ ...otherHost(testStore), WORKERS: '3' }) : undefined
  const urls = [await first!.url, ...(more ? [await more.url] : [])]
  const end = async () => {
    await first![Symbol.asyncDispose]()
    await more?.[Symbol.asyncDispose]()
    await testStore.remove()
  }
  return { urls, [Symbol.asyncDispose]: end }
}

const otherHost = ({ settings }: TestStore) => ({
  DATA_DIR: join(settings.data_dir, 'other'),
  DATABASE_URL: settings.database_url,
})

onOneDatabase('a session of a browser', (kind) => {
  test('is good at every process at once, and no longer within a second of its end', async () => {
    await using servers = await startAll(await newTestStore(kind), kind)
    const { urls } = servers
    const browser = await signIn(urls[0]!)
    assert.deepEqual([...(await statuses(urls, browser))], [200])
    assert.equal(await statusOf(urls[0]!, 'DELETE', browser.cookie, browser.csrf), 200)
    const { tookMs, allowedMs } = await timed(promisedMs, () =>
      until(async () => {
        const found = await statuses(urls, browser)
        return found.size === 1 && found.has(401)
      }),
    )
    assert.ok(tookMs < allowedMs, `${tookMs} ms`)
  })
})
