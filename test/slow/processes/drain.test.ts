import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newTestStore } from '../../harness/database/databases.ts'
import { type ServerProcess, startProcess } from '../../harness/service/server-process.ts'
import { timed } from '../../harness/until.ts'

const apiKey = `sb-v1-${'d'.repeat(64)}`

/** A separate server that will be stopped. */
async function start(env: Record<string, string>, workers: number) {
  const testStore = await newTestStore('sqlite')
  after(testStore.remove)
  const server = startProcess({
    DATA_DIR: testStore.settings.data_dir,
    BOOTSTRAP_API_KEY: apiKey,
    ...env,
    WORKERS: String(workers),
  })
  return { server, url: await server.url }
}

/**
 * Uses a separate connection, or one of the agent's.
 * @returns the whole response, and the time of its arrival.
 */
function ask(url: string, path: string, body?: object, agent = new Agent()) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; connection: string; text: string }>()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const asking = request(url + path, { method: body ? 'POST' : 'GET', headers, agent }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    response.on('error', reject)
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, connection: response.headers.connection ?? '', text }),
    )
  })
  asking.on('error', reject).end(body && JSON.stringify(body))
  return promise
}

const say = (content: string) => ({ model: 'signalbox/demo', stream: true, messages: [{ role: 'user', content }] })

const isDraining = async (url: string) => {
  while ((await ask(url, '/health')).status !== 503) await sleep(20)
}

async function endedIn(server: ServerProcess, signal: NodeJS.Signals) {
  const before = performance.now()
  server.signal(signal)
  assert.equal(await server.ended, 0, server.err())
  return performance.now() - before
}

for (const workers of [1, 3]) {
  test(`SIGTERM: health is 503 and connections are accepted for drain_ms (${workers} workers)`, async () => {
    const { server, url } = await start({ DRAIN_MS: '4000', SHUTDOWN_GRACE_MS: '60000' }, workers)
    await using _ending = server
    assert.equal((await ask(url, '/health', undefined, new Agent({ keepAlive: true }))).connection, 'keep-alive')
    const ending = endedIn(server, 'SIGTERM')
    await isDraining(url)
    for (const path of ['/health', '/models', '/key']) {
      const { status, connection } = await ask(url, path, undefined, new Agent({ keepAlive: true }))
      assert.deepEqual([status, connection], [path === '/health' ? 503 : 200, 'close'])
    }
    const streamed = await ask(url, '/chat/completions', say('Hello'), new Agent({ keepAlive: true }))
    assert.deepEqual([streamed.status, streamed.connection], [200, 'close'])
    assert.ok((await ending) >= 4000)
    assert.match(server.err(), /"signal":"SIGTERM","drainMs":4000,"graceMs":60000,"msg":"signal: stopping"/)
    assert.match(server.err(), /"drainMs":4000,"msg":"drained: no new connections are accepted"/)
    assert.match(server.err(), /"code":0,"msg":"exit"/)
  })

  test(`an open stream completes, and the process ends with it (workers: ${workers})`, async () => {
    const { server, url } = await start({ DRAIN_MS: '100', SHUTDOWN_GRACE_MS: '600000' }, workers)
    await using _ending = server
    const agent = new Agent({ keepAlive: true })
    const stream = ask(url, '/chat/completions', say('demo:slow=3000 Hello'), agent)
    await sleep(500)
    server.signal('SIGTERM')
    const { text } = await stream
    assert.match(text, /data: \[DONE\]/)
    // The test waits for neither the ten minutes of grace nor the 72 seconds that an idle connection is kept.
    const { tookMs, allowedMs, result } = await timed(30_000, () => server.ended)
    assert.equal(result, 0)
    assert.ok(tookMs < allowedMs, `${tookMs} ms`)
    agent.destroy()
  })

  test(`Ctrl-C skips drain_ms, also after a SIGTERM (workers: ${workers})`, async () => {
    for (const first of ['SIGINT', 'SIGTERM'] as const) {
      const { server, url } = await start({ DRAIN_MS: '600000' }, workers)
      await using _ending = server
      server.signal(first)
      if (first === 'SIGTERM') await isDraining(url)
      assert.ok((await endedIn(server, 'SIGINT')) < 60_000)
    }
  })
}
