import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import { type PacedWriter, pacedProtocols } from '../harness/upstream/paced-protocols.ts'

/**
 * The clock of the service and of the provider. It moves only when everything that was sent has been received, so that the
 * charges do not depend on the load of the machine.
 */
const clock = { now: Date.UTC(2026, 10, 29, 8) }

/** In USD per million tokens: 400 tokens, one second of a response, cost 0.04 USD. */
const prices = { prompt: 1, completion: 100 }
const stepMs = 10
const tokensPerStep = 4
const promptTokens = 10
const limitUsd = 3
const maxTokens = 2000
const reservedUsd = (maxTokens * prices.completion) / 1e6 + 0.002
/** Half of a round trip: it delays the request, each token, and the end of the connection. */
const oneWayMs = 10

/** The ways of leaving: milliseconds after the first content. */
const patterns = {
  'before the first token': -1,
  'at the first token': 0,
  'after 50 ms': 50,
  'after 100 ms': 100,
  'after 200 ms': 200,
  'after 400 ms': 400,
  'after 700 ms': 700,
  'after 1 s': 1000,
  'after 2 s': 2000,
  'at the last token': 3000,
}
const responseTokens = 1200

type Sale = {
  arrived: PromiseWithResolvers<void>
  closed: PromiseWithResolvers<void>
  response?: ServerResponse
  writer?: PacedWriter
}

/** A provider of four protocols. It generates what the test asks for, and stops when its client leaves. */
async function startProvider(sales: Map<string, Sale>) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const [, protocol = ''] = /\/(openai-\w+|anthropic-\w+|google-\w+)\//.exec(request.url ?? '') ?? []
    const sale = sales.get(/leaver-\d+/.exec(text)![0])!
    sale.writer = pacedProtocols[protocol as keyof typeof pacedProtocols]
    sale.response = response.on('error', () => {}).on('close', sale.closed.resolve)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(sale.writer.start('up-1', { prompt: promptTokens, completion: 0 }) || ': start\n\n')
    sale.arrived.resolve()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
function catalogueOf(url: string) {
  const compatibility = { stops_on_disconnect: true }
  const providers: Record<string, object> = {}
  const models: Record<string, object> = {}
  for (const protocol of Object.keys(pacedProtocols)) {
    providers[protocol] = { name: protocol, protocol, base_url: `${url}/${protocol}/v1`, compatibility }
    const endpoints = { [protocol]: { model: 'm', prices, supported_parameters: ['temperature'] } }
    models[`paced/${protocol}`] = { name: protocol, created: '2026-01-01', context_length: 200_000, endpoints }
  }
  return { providers, models }
}

type Run = { service: TestService; sales: Map<string, Sale> }

/** Reads a response and counts its letters. */
class LetterReader {
  readonly ended: Promise<void>
  #letters = 0
  #wake = () => {}

  constructor(call: Promise<Response>) {
    this.ended = this.#read(call)
    this.ended.catch(() => {})
  }

  async has(letters: number): Promise<void> {
    while (this.#letters < letters) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  async #read(call: Promise<Response>): Promise<void> {
    const response = await call
    assert.equal(response.status, 200)
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      // No other part of the response has this letter.
      this.#letters += text.split('Z').length - 1
      this.#wake()
    }
  }
}

/** A response of so many tokens, and when its client leaves: in milliseconds after the first content. */
type PlannedResponse = { protocol: string; leaveMs: number; tokens: number; bytesPerToken: number }

/** Sends a request and leaves. @returns the session of the request and the billed amount. */
async function leave({ service, sales }: Run, key: string, planned: PlannedResponse) {
  const { protocol, leaveMs, tokens, bytesPerToken } = planned
  const name = `leaver-${sales.size}`
  const sale: Sale = { arrived: Promise.withResolvers(), closed: Promise.withResolvers() }
  sales.set(name, sale)
  const leaving = new AbortController()
  const call = fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: `paced/${protocol}`, stream: true, max_tokens: maxTokens, session_id: name },
      messages: [{ role: 'user', content: name }],
    }),
    signal: leaving.signal,
  })
  call.catch(() => {})
  await Promise.race([sale.arrived.promise, refusal(call)])
  const { response, writer } = sale as Required<Sale>
  // The request and its first token.
  clock.now += 2 * oneWayMs + stepMs
  const reader = new LetterReader(call)
  let generated = 0
  for (let ms = 0; ms <= leaveMs && generated < tokens; ms += stepMs) {
    if (ms > 0) clock.now += stepMs
    response.write(writer.letters('Z'.repeat(tokensPerStep * bytesPerToken)))
    generated += tokensPerStep
    await reader.has(generated * bytesPerToken)
  }
  const isWhole = generated >= tokens
  if (isWhole) {
    response.end(writer.end('up-1', { prompt: promptTokens, completion: generated }))
    await reader.ended
  } else {
    leaving.abort()
    await sale.closed.promise
    // Tokens on the way to the client, and those until the provider notices.
    generated += (tokensPerStep * 2 * oneWayMs) / stepMs
  }
  return { name, billed: (promptTokens * prices.prompt + generated * prices.completion) / 1e6 }
}

/** Ends only with a refused request, so that the test does not wait for a request that the provider never gets. */
async function refusal(call: Promise<Response>): Promise<void> {
  const response = await call
  if (response.ok) return new Promise(() => {})
  assert.fail(`refused: ${response.status} ${await response.text()}`)
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

test('disconnects are charged what was billed, at most 1.3 times in the median', async (t) => {
  const sales = new Map<string, Sale>()
  const { server, url } = await startProvider(sales)
  t.after(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-leavers-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'catalogue.json')
  writeFileSync(file, JSON.stringify(catalogueOf(url)))
  const settings = { catalogue_file: file, starter_catalogue: 'false' as never }
  await using service = await startTestService({ settings, now: () => clock.now, elapsed: () => clock.now })
  const run = { service, sales }
  const protocols = Object.keys(pacedProtocols)
  // The speed of an endpoint is known after five responses.
  for (const protocol of protocols)
    for (let count = 0; count < 5; count++)
      await leave(run, service.apiKey, { protocol, leaveMs: Infinity, tokens: 200, bytesPerToken: 4 })
  for (const protocol of protocols)
    await until(async () => {
      const { body } = await service.ask('GET', `/models/paced/${protocol}/endpoints`)
      return body.data.endpoints[0].throughput_last_30m
    })
  const key = (await service.manage('POST', '/keys', { name: 'limited', limit: limitUsd })).body.key
  const departures = []
  // One byte a token is the least, four are usual.
  for (const protocol of protocols)
    for (const [pattern, leaveMs] of Object.entries(patterns))
      for (const bytesPerToken of [1, 4]) {
        const response = { protocol, leaveMs, tokens: responseTokens, bytesPerToken }
        departures.push({ protocol, pattern, bytesPerToken, ...(await leave(run, key, response)) })
      }
  const rows = []
  for (const one of departures) {
    const listed = () => service.manage('GET', `/generations?session_id=${one.name}`)
    const record = await until(async () => (await listed()).body.data[0])
    const [charged, unconfirmed] = [record.limit_cost as number, record.unconfirmed_usd as number]
    rows.push({ ...one, charged })
    const amounts = `billed ${one.billed.toFixed(5)}, charged ${charged.toFixed(5)}, unconfirmed ${unconfirmed.toFixed(5)}`
    const title = `${one.protocol} ${one.pattern}, ${one.bytesPerToken} bytes a token: ${amounts}`
    t.diagnostic(title)
    assert.ok(charged >= one.billed - 1e-9 && charged <= reservedUsd, title)
  }
  for (const protocol of protocols) {
    const own = rows.filter((row) => row.protocol === protocol)
    const sum = (name: 'billed' | 'charged') => own.reduce((total, row) => total + row[name], 0)
    const ratio = median(own.map(({ charged, billed }) => charged / billed))
    t.diagnostic(
      `${protocol}: ${sum('billed').toFixed(4)} billed, ${sum('charged').toFixed(4)} charged, median ${ratio.toFixed(3)}`,
    )
    assert.ok(ratio <= 1.3, `${protocol}: the median of charged / billed is ${ratio}`)
  }
})
