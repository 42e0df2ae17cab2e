import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { timed, until } from '../../harness/until.ts'

const managementKey = `sb-v1-${'a'.repeat(64)}`
const connections = 12
const requests = 1000
const mostGrowth = 64 * 1024 * 1024
type Target = { method?: 'GET' | 'POST'; path: string; body?: object }
const feedback = { generation_id: 'gen-unknown', category: 'other', comment: 'x'.repeat(2000) }
const targets: Target[] = [
  { path: '/openapi.json' },
  { path: '/docs' },
  { path: '/models' },
  { path: '/models?use_rss=true' },
  { path: '/metrics' },
  { path: '/generations?limit=100' },
  { path: '/activity/sums?by=session' },
  { path: '/audit?limit=100' },
  { path: '/status' },
  { path: '/nothing' },
  { method: 'POST', path: '/generation/feedback', body: feedback },
  { method: 'POST', path: '/analytics/query', body: { metrics: ['request_count'], dimensions: ['model'] } },
]

/** The resident memory of a process, in bytes. */
const residentBytes = (pid: number) =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])

/** Sends the requests in one piece, and never reads. */
async function requestUnread(url: URL, { method = 'GET', path, body }: Target): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname).on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [
    `${method} ${url.pathname}${path} HTTP/1.1`,
    ...['host: x', `authorization: Bearer ${managementKey}`],
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${text.length}`]),
  ]
  const request = `${head.join('\r\n')}\r\n\r\n${text}`
  socket.write(request.repeat(requests))
  return socket
}

/** Requests `/health` on its own connection, 50 times, and returns the longest and the median wait in milliseconds. */
async function healthWaits(url: URL): Promise<{ longest: number; median: number }> {
  const waits: number[] = []
  for (let tries = 0; tries < 50; tries++) {
    const startedAt = performance.now()
    const response = await fetch(`${url}/health`)
    await response.text()
    waits.push(performance.now() - startedAt)
  }
  waits.sort((a, b) => a - b)
  return { longest: waits.at(-1)!, median: waits[25]! }
}

test('memory and the waits of others stay bounded while clients do not read responses', async (context) => {
  const testStore = await newEmptyTestStore('sqlite')
  const keys = { BOOTSTRAP_MANAGEMENT_KEY: managementKey }
  await using server = startProcess({ DATA_DIR: testStore.settings.data_dir, ...keys })
  const url = new URL(await server.url)
  const headers = { authorization: `Bearer ${managementKey}` }
  // Constant responses are made before the memory is measured.
  for (const { path } of targets) await (await fetch(url + path, { headers })).text()
  for (const target of targets) {
    const { path } = target
    const before = residentBytes(server.pid)
    const { result, allowedMs } = await timed(100, async () => {
      const sockets = await Promise.all(Array.from({ length: connections }, () => requestUnread(url, target)))
      const waits = await healthWaits(url)
      const growth = residentBytes(server.pid) - before
      for (const socket of sockets) socket.destroy()
      return { ...waits, growth }
    })
    const { longest, median, growth } = result
    context.diagnostic(
      `${path}: ${Math.round(growth / 2 ** 20)} MiB, longest wait ${Math.round(longest)} ms, median ${Math.round(median)} ms`,
    )
    assert.ok(growth <= mostGrowth, `${path}: memory grew by ${growth} bytes`)
    assert.ok(longest <= allowedMs, `${path}: /health waited ${longest} ms of ${allowedMs}`)
    await until(async () => (await fetch(`${url}/health`)).ok)
  }
  await testStore.remove()
})
