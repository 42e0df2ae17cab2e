import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { runningIntern } from '../../harness/interns/interns.ts'
import { endDaemonsIn } from '../../harness/service/leftovers.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'

const apiKey = `sb-v1-${'b'.repeat(64)}`
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

type Upload = { what: string; declared: number; sent: number }

const uploads: Upload[] = [
  { what: 'content', declared: 6_000_000, sent: 5_000_000 },
  { what: 'content', declared: 6_000_000, sent: 6_000_000 },
  { what: 'archive', declared: 6_000_000, sent: 5_000_000 },
]
const departures: ((socket: Socket) => unknown)[] = [(socket) => socket.destroy(), (socket) => socket.resetAndDestroy()]

async function leaveUpload(url: URL, { what, declared, sent }: Upload, leave: (socket: Socket) => unknown) {
  const socket = connect(Number(url.port), url.hostname).on('error', () => {})
  await once(socket, 'connect')
  const head = [
    `PUT ${url.pathname}/interns/ada/files/${what}?path=left.bin HTTP/1.1`,
    ...['host: x', `authorization: ${headers.authorization}`],
    ...['content-type: application/octet-stream', `content-length: ${declared}`],
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.write(Buffer.alloc(sent), resolve))
  leave(socket)
}

test('a server outlives uploads whose clients leave, and logs no error', async () => {
  const testStore = await newEmptyTestStore('sqlite')
  await using server = startProcess({
    DATA_DIR: testStore.settings.data_dir,
    LOG_FORMAT: 'json',
    BOOTSTRAP_API_KEY: apiKey,
  })
  const url = new URL(await server.url)
  const ask = async (method: string, path: string, { body }: { body?: unknown } = {}) => {
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) ?? null })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text), headers: response.headers }
  }
  await runningIntern({ ask })
  for (let tries = 0; tries < 15; tries++)
    for (const upload of uploads) for (const leave of departures) await leaveUpload(url, upload, leave)
  await until(async () => (await fetch(`${url}/health`)).ok)
  const errors = server.err().match(/^.*"level":(50|60).*$/gm)
  assert.deepEqual(errors, null)
  await server[Symbol.asyncDispose]()
  endDaemonsIn(testStore.settings.data_dir)
  await testStore.remove()
})
