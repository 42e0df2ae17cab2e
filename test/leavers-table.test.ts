import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestService, type TestService } from './harness/service/service.ts'
import { until } from './harness/until.ts'
import { pacedProtocols } from './harness/upstream/paced-protocols.ts'

/** Multiplies the times until clients leave. `LEAVERS_SCALE=10 node --test test/leavers-table.test.ts` is the long version. */
const scale = Number(process.env.LEAVERS_SCALE ?? 1)

/** In USD per million tokens: 400 tokens, one second of an answer, cost 0.04 USD. */
const prices = { prompt: 1, completion: 100 }
const tokensPerMs = 0.4
const promptTokens = 10
const limitUsd = 3
const maxTokens = 2000 * scale
const reservedUsd = (maxTokens * prices.completion) / 1e6 + 0.002

/** The ways of leaving: milliseconds after the provider has the request, or letters that were read. */
const patterns = {
  'at once': { ms: 0 },
  'after 50 ms': { ms: 50 },
  'after 100 ms': { ms: 100 },
  'after 200 ms': { ms: 200 },
  'after 400 ms': { ms: 400 },
  'after 700 ms': { ms: 700 },
  'after 1 s': { ms: 1000 },
  'at the first letter': { letters: 1 },
  'after 100 letters': { letters: 100 },
  'at the last letter': { letters: 400 },
} satisfies Record<string, { ms?: number; letters?: number }>
type Pattern = { ms?: number; letters?: number }

type Sale = {
  completion: number
  hasRequest: () => void
  isDone: boolean
  startedAt: number
  /** When the client left. A provider that keeps its promise bills nothing that it generates 200 ms later. */
  leftAt: number
}

/** A provider of four protocols that stops generating and billing when its client leaves. */
async function startProvider(sales: Map<string, Sale>) {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const [, protocol = ''] = /\/(openai-\w+|anthropic-\w+|google-\w+)\//.exec(request.url ?? '') ?? []
    const writer = pacedProtocols[protocol as keyof typeof pacedProtocols]
    const sale = sales.get(/leaver-\d+/.exec(text)![0])!
    const most = Number(/stop-at-(\d+)/.exec(text)![1])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.on('error', () => {})
    response.write(writer.start('up-1', { prompt: promptTokens, completion: 0 }) || ': start\n\n')
    sale.hasRequest()
    sale.startedAt = performance.now()
    while (!response.destroyed && sale.completion < most) {
      await sleep(5)
      const now = Math.min(most, Math.floor((performance.now() - sale.startedAt) * tokensPerMs))
      if (response.destroyed || now === sale.completion) continue
      response.write(writer.letters('a'.repeat(now - sale.completion)))
      sale.completion = now
    }
    sale.isDone = true
    response.end(writer.end('up-1', { prompt: promptTokens, completion: sale.completion }))
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

/** Sends a request and leaves. @returns the record and the billed amount. */
async function leave(
  { service, sales }: Run,
  key: string,
  protocol: string,
  pattern: Pattern | undefined,
  most: number,
) {
  const name = `leaver-${sales.size}`
  const arrived = Promise.withResolvers<void>()
  const sale: Sale = { completion: 0, hasRequest: arrived.resolve, isDone: false, startedAt: 0, leftAt: Infinity }
  sales.set(name, sale)
  const leaving = new AbortController()
  const response = await fetch(`${service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: `paced/${protocol}`, stream: true, max_tokens: maxTokens },
      messages: [{ role: 'user', content: `${name} stop-at-${most}` }],
    }),
    signal: leaving.signal,
  })
  const id = response.headers.get('x-generation-id')
  assert.equal(response.status, 200)
  await arrived.promise
  const timer =
    pattern?.ms !== undefined &&
    setTimeout(() => {
      sale.leftAt = performance.now()
      leaving.abort()
    }, pattern.ms * scale)
  let letters = 0
  try {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      for (const [, content = ''] of text.matchAll(/"content":"(a+)"/g)) letters += content.length
      if (pattern?.letters !== undefined && letters >= pattern.letters * scale) break
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error
  }
  if (!leaving.signal.aborted) sale.leftAt = performance.now()
  leaving.abort()
  if (timer) clearTimeout(timer)
  await until(() => sale.isDone)
  const record = await until(async () => (await service.manage('GET', `/generation?id=${id}`)).body.data)
  const until200Ms = Math.floor((sale.leftAt + 200 - sale.startedAt) * tokensPerMs)
  const completion = Math.min(sale.completion, until200Ms)
  const billed = (promptTokens * prices.prompt + completion * prices.completion) / 1e6
  return { billed, charged: record.limit_cost as number, unconfirmed: record.unconfirmed_usd as number }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

test('ten ways of leaving four protocols are charged what was billed, plus a bounded margin', async (t) => {
  const sales = new Map<string, Sale>()
  const { server, url } = await startProvider(sales)
  t.after(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-leavers-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'catalogue.json')
  writeFileSync(file, JSON.stringify(catalogueOf(url)))
  const settings = { catalogue_file: file, starter_catalogue: 'false' as never }
  await using service = await startTestService({ settings })
  const run = { service, sales }
  const protocols = Object.keys(pacedProtocols)
  // The speed of an endpoint is known after five answers.
  await Promise.all(
    protocols.flatMap((protocol) =>
      Array.from({ length: 6 }, () => leave(run, service.apiKey, protocol, undefined, 200)),
    ),
  )
  for (const protocol of protocols)
    await until(async () => {
      const { body } = await service.ask('GET', `/models/paced/${protocol}/endpoints`)
      return body.data.endpoints[0].throughput_last_30m
    })
  const key = (await service.manage('POST', '/keys', { name: 'limited', limit: limitUsd * scale })).body.key
  const rows = await Promise.all(
    protocols.map(async (protocol) => {
      const own = []
      for (const [name, pattern] of Object.entries(patterns) as [string, Pattern][])
        own.push({ protocol, name, ...(await leave(run, key, protocol, pattern, 400 * scale)) })
      return own
    }),
  ).then((all) => all.flat())
  for (const { protocol, name, billed, charged, unconfirmed } of rows)
    t.diagnostic(
      `${protocol} ${name}: billed ${billed.toFixed(5)}, charged ${charged.toFixed(5)}, unconfirmed ${unconfirmed.toFixed(5)}`,
    )
  const ratio = median(rows.map(({ charged, billed }) => charged / billed))
  t.diagnostic(`median of charged / billed: ${ratio.toFixed(2)}`)
  for (const { protocol, name, billed, charged } of rows) {
    assert.ok(charged >= billed - 1e-9, `${protocol} ${name}: ${billed} billed, ${charged} charged`)
    assert.ok(charged <= reservedUsd, `${protocol} ${name}: ${charged} charged`)
  }
  // 512 tokens in transit at most, and a fifth.
  const margin = median(rows.map(({ billed, charged }) => charged - 1.2 * billed))
  assert.ok(margin <= 0.06, `${margin} USD are charged in addition`)
  const sums = rows.reduce((sum, row) => ({ billed: sum.billed + row.billed, charged: sum.charged + row.charged }), {
    billed: 0,
    charged: 0,
  })
  assert.ok(sums.billed <= sums.charged && sums.charged <= limitUsd * scale)
})
