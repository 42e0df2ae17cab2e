import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newEmptyTestStore, onEachDatabase, onOneDatabase } from '../../harness/database/databases.ts'
import { apiKey, askForWords, manage, startPriced } from '../../harness/service/load/priced-servers.ts'
import { timed, until } from '../../harness/until.ts'

const workers = 3

/** The longest time until a change applies at every worker, and until a dead worker is replaced. */
const promisedMs = 1000

/** The processes that another one has started, by their ids. */
function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === pid && args.some((arg) => /\/worker\.(ts|mjs)$/.test(arg)))
    .map(([child]) => Number(child))
}

async function startWorkers(kind: 'sqlite' | 'postgres', env: Record<string, string> = {}) {
  const testStore = await newEmptyTestStore(kind)
  const [server] = await startPriced(testStore, 1, undefined, { WORKERS: String(workers), LOG_FORMAT: 'json', ...env })
  const pid = Number(readFileSync(join(testStore.settings.data_dir, 'data', 'server.pid'), 'utf8'))
  return {
    server: server!,
    url: await server!.url,
    pid,
    pids: () => childrenOf(pid),
    async [Symbol.asyncDispose]() {
      await server![Symbol.asyncDispose]()
      await until(() => childrenOf(pid).length === 0)
      await testStore.remove()
    },
  }
}

type Asked = { key?: string; body?: object; agent?: Agent }

/** Uses a separate connection, unless it gets an agent. Rejects when the response breaks off. */
function ask(url: string, path: string, { key = apiKey, body, agent = new Agent() }: Asked = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  request(url + path, { method: body ? 'POST' : 'GET', headers, agent }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, text }))
  })
    .on('error', reject)
    .end(body && JSON.stringify(body))
  return promise
}

/** The results of this many requests, each on a separate connection: all workers are likely to have got some. */
const statuses = async (url: string, key: string, times = 40) =>
  new Set(
    (await Promise.all(Array.from({ length: times }, () => ask(url, '/key', { key })))).map(({ status }) => status),
  )

/** Sends requests continuously, on connections that are kept as long as the server allows. */
function load(url: string, sockets: number) {
  const result = { responses: 0, broken: 0, other: new Set<string>() }
  const agent = new Agent({ keepAlive: true })
  let going = true
  const asking = Array.from({ length: sockets }, async (_, at) => {
    while (going) {
      const stream = at % 2 === 0
      const response = await ask(url, '/chat/completions', { body: { ...threeWords, stream }, agent }).catch(() => {})
      if (!response) result.broken++
      else if (response.status === 200 && response.text.includes(stream ? '[DONE]' : '"stop"')) result.responses++
      else result.other.add(response.text)
    }
  })
  const stop = async () => {
    going = false
    await Promise.all(asking)
    agent.destroy()
    return result
  }
  return { result, stop }
}

const threeWords = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=3' }] }

const metered = async (url: string) => {
  const { data } = await manage(url, 'GET', '/activity')
  return (data as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0)
}

onEachDatabase('a service of three workers', (kind) => {
  test('a killed worker loses only its own requests, and is back within a second', async () => {
    await using service = await startWorkers(kind)
    const before = service.pids()
    assert.equal(before.length, workers)
    const { result, stop } = load(service.url, 12)
    await until(() => result.responses > 200)
    process.kill(before[0]!, 'SIGKILL')
    const { tookMs, allowedMs } = await timed(promisedMs, () =>
      until(() => service.pids().filter((pid) => !before.includes(pid)).length === 1),
    )
    assert.ok(tookMs < allowedMs, `${tookMs} ms`)
    await until(() => service.server.err().includes('a worker is back'))
    const responsesThen = result.responses
    await until(() => result.responses > responsesThen + 300)
    const { broken, responses, other } = await stop()
    assert.ok(broken <= 12, `${broken} requests were broken off`)
    assert.deepEqual([...other], [])
    assert.deepEqual(
      service
        .pids()
        .filter((pid) => before.includes(pid))
        .sort(),
      before.slice(1).sort(),
    )
    // At most half a second of unwritten data of the dead worker is lost.
    const lost = await until(async () => {
      const now = await metered(service.url)
      return now >= responses * 0.5 && { now }
    })
    assert.ok(lost.now <= responses + broken)
  })

  test('when the primary is killed, workers end, and metered requests are stored', async () => {
    const testStore = await newEmptyTestStore(kind)
    const env = { WORKERS: String(workers), LOG_FORMAT: 'json' }
    const [first] = await startPriced(testStore, 1, undefined, env)
    const pid = Number(readFileSync(join(testStore.settings.data_dir, 'data', 'server.pid'), 'utf8'))
    const pids = childrenOf(pid)
    const url = await first!.url
    const responses = await Promise.all(Array.from({ length: 100 }, () => askForWords(url, 1)))
    first!.signal('SIGKILL')
    await first!.ended
    assert.ok(responses.every(({ status }) => status === 200))
    await until(() => pids.every((worker) => !isRunning(worker)))
    const [next] = await startPriced(testStore, 1, undefined, env)
    await until(async () => (await metered(await next!.url)) === 100)
    await next![Symbol.asyncDispose]()
    await sleep(100)
    await testStore.remove()
  })
})

onOneDatabase('three workers', (kind) => {
  test('a hanging worker is killed and replaced, and its clients are answered', async () => {
    await using service = await startWorkers(kind, { WORKER_SILENCE_MS: '2000' })
    const before = service.pids()
    process.kill(before[0]!, 'SIGSTOP')
    await until(() => service.pids().some((pid) => !before.includes(pid)))
    await until(() => service.server.err().includes('a worker is back'))
    assert.match(service.server.err(), /killing a worker that is running but does not respond/)
    assert.ok(!service.pids().includes(before[0]!))
    assert.deepEqual([...(await statuses(service.url, apiKey))], [200])
  })

  test('workers that are replaced one after another lose no request', async () => {
    await using service = await startWorkers(kind)
    const before = service.pids()
    const { result, stop } = load(service.url, 12)
    await until(() => result.responses > 100)
    service.server.signal('SIGUSR2')
    await until(() => service.server.err().includes('workers replaced'))
    const responsesThen = result.responses
    await until(() => result.responses > responsesThen + 300)
    const { broken, other, responses } = await stop()
    assert.deepEqual([broken, [...other]], [0, []])
    // The previous workers end with their last client.
    await until(() => service.pids().every((pid) => !before.includes(pid)))
    assert.equal(service.pids().length, workers)
    await until(async () => (await metered(service.url)) === responses)
  })

  test('after the drain new connections are refused while a request is in flight', async () => {
    await using service = await startWorkers(kind, { DRAIN_MS: '100', SHUTDOWN_GRACE_MS: '600000' })
    const body = { ...threeWords, stream: true, messages: [{ role: 'user', content: 'demo:pace=1000 demo:words=30' }] }
    const response = ask(service.url, '/chat/completions', { body })
    await until(() => service.server.err().includes('accepting connections'))
    await sleep(500)
    service.server.signal('SIGTERM')
    const isRefused = () =>
      ask(service.url, '/health').then(
        () => false,
        ({ code }) => code === 'ECONNREFUSED',
      )
    await until(isRefused)
    assert.match((await response).text, /\[DONE\]/)
    assert.equal(await service.server.ended, 0)
  })

  test('a revoked or enabled key is known at every worker within a second', async () => {
    await using service = await startWorkers(kind)
    const { data, key } = await manage(service.url, 'POST', '/keys', { name: 'n' })
    assert.deepEqual([...(await statuses(service.url, key))], [200])
    for (const disabled of [true, false]) {
      await manage(service.url, 'PATCH', `/keys/${data.hash}`, { disabled })
      const expected = disabled ? 401 : 200
      const settled = async () => {
        const found = await statuses(service.url, key)
        return found.size === 1 && found.has(expected)
      }
      const { tookMs, allowedMs } = await timed(promisedMs, () => until(settled))
      assert.ok(tookMs < allowedMs, `${tookMs} ms`)
    }
  })

  test('one metrics page and one log cover the requests of all, also of a dead one', async () => {
    await using service = await startWorkers(kind, { LOG_LEVEL: 'info' })
    const responses = await Promise.all(Array.from({ length: 60 }, () => askForWords(service.url, 1)))
    assert.ok(responses.every(({ status }) => status === 200))
    const counted = async () => {
      const headers = { authorization: `Bearer sb-v1-${'a'.repeat(64)}` }
      const text = await (await fetch(`${service.url}/metrics`, { headers })).text()
      const line =
        /^signalbox_http_request_duration_seconds_count\{method="POST",route="[^"]*\/chat\/completions",status="200"\} (\d+)$/m
      assert.match(text, /^signalbox_workers [23]$/m)
      return Number(line.exec(text)?.[1])
    }
    await until(async () => (await counted()) === 60)
    process.kill(service.pids()[0]!, 'SIGKILL')
    await until(() => service.server.err().includes('starting another one'))
    assert.equal(await counted(), 60)
    await until(() => service.server.err().split('"msg":"completion"').length > 50)
    const lines = service.server
      .err()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(new Set(lines.filter(({ msg }) => msg === 'completion').map(({ pid }) => pid)).size > 1)
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
