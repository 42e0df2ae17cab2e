import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { until } from '#test/harness/until.ts'
import { roleDelta } from '#test/harness/upstream/faulty/faulty-upstream.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The live memory of this process, which is client, service and upstream. */
function megabytesAlive(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

/** The same, after garbage of earlier requests has been collected. */
async function megabytesAtRest(): Promise<number> {
  let last = Number.NaN
  await until(() => {
    const before = last
    last = megabytesAlive()
    return Math.abs(last - before) < 0.05
  })
  return last
}

/** A stream that has started, of an upstream that sends nothing more. */
async function askAtLength({ url, apiKey }: TestService, megabytes: number): Promise<Socket> {
  const messages = [{ role: 'user', content: 'x'.repeat(megabytes * 1e6) }]
  const body = JSON.stringify({ model: 'a/begins', stream: true, messages })
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 200 /)
  return socket
}

async function startLongService(base_url: string): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-held-'))
  const file = join(folder, 'catalogue.json')
  const endpoint = { model: 'begins', prices: { prompt: 1, completion: 1 } }
  const model = { name: 'Begins', created: '2026-01-01', context_length: 10_000_000, endpoints: { a: endpoint } }
  const providers = { a: { name: 'A', protocol: 'openai-chat', base_url } }
  writeFileSync(file, JSON.stringify({ providers, models: { 'a/begins': model } }))
  const service = await startTestService({
    settings: { catalogue_file: file, starter_catalogue: 'false' as never, first_byte_timeout_ms: 300_000 },
  })
  rmSync(folder, { recursive: true })
  return service
}

test('during a stream the prompt is in memory once', async () => {
  await using upstream = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(roleDelta))
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  await using service = await startLongService(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`)
  const early = await askAtLength(service, 0.1)
  const before = await megabytesAtRest()
  const socket = await askAtLength(service, 3.5)
  await until(() => megabytesAlive() - before < 5)
  assert.ok(megabytesAlive() - before > 3, 'less than the prompt itself: the measurement is meaningless')
  for (const one of [early, socket]) one.destroy()
  upstream.closeAllConnections()
})
