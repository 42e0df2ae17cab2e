import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fastify } from 'fastify'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import type { ClientProtocol } from '#gateway/protocol/client-protocol.ts'
import type { Body } from '#gateway/protocol/request-body.ts'
import { runWithoutPauses } from '#platform/async/long-work.ts'
import { parseWith } from '#platform/http/compilers.ts'
import { jsonReader } from '#platform/http/request/json-body.ts'
import { watchTurns } from '#test/harness/service/load/longest-turn.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { busyLimitMs } from '#test/harness/until.ts'
import { type SeparateThread, startSeparateThread } from '#test/harness/upstream/separate-thread.ts'
import { argumentBodies } from '../../../growing-bodies/argument-bodies.ts'
import { chatBodies } from '../../../growing-bodies/chat-bodies.ts'
import { messagesBodies } from '../../../growing-bodies/messages-bodies.ts'
import { fields, type GrowingBody, times } from '../../../growing-bodies/pieces.ts'
import { responsesBodies } from '../../../growing-bodies/responses-bodies.ts'

const mostMs = 50
/** The least of several runs counts: the first ones run code that is not compiled yet. */
const mostRuns = 8
const maxBodyBytes = 4 * 1024 * 1024
const protocols = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini']
const bodiesOf: Record<string, Record<string, GrowingBody>> = {
  'openai-chat': { ...chatBodies, ...argumentBodies },
  'openai-responses': responsesBodies,
  'anthropic-messages': messagesBodies,
}

const file = join(tmpdir(), `signalbox-longest-turn-${process.pid}.json`)
let thread: SeparateThread
let service: TestService

before(async () => {
  thread = await startSeparateThread()
  const base_url = `${thread.upstream}/v1`
  const endpointOf = (protocol: string) => ({ [protocol]: { model: 'm', prices: { prompt: 1, completion: 1 } } })
  const entries = <Value>(value: (protocol: string) => Value) => protocols.map((one) => [one, value(one)] as const)
  const providers = Object.fromEntries(entries((protocol) => ({ name: protocol, protocol, base_url })))
  const model = { name: 'M', created: '2026-01-01', context_length: 10_000_000 }
  const models = entries((protocol) => ({ ...model, endpoints: endpointOf(protocol) }))
  const embeddings = { ...model, output_modalities: ['embeddings'], endpoints: endpointOf('openai-chat') }
  const byId = Object.fromEntries(models.map(([protocol, one]) => [`m/${protocol}`, one]))
  writeFileSync(file, JSON.stringify({ providers, models: { ...byId, 'm/embeddings': embeddings } }))
  service = await startTestService({ settings: { catalogue_file: file, starter_catalogue: 'false' as never } })
})

after(async () => {
  await service.stop()
  await thread[Symbol.asyncDispose]()
  rmSync(file)
})

for (const client of chatClientProtocols)
  describe(`no request of ${client.protocol} holds the main thread longer than ${mostMs} ms at a time`, () => {
    for (const [at, [name, make]] of Object.entries(bodiesOf[client.protocol]!).entries())
      test(name, async () => {
        const body = largestBody(client, make)
        for (const protocol of new Set([client.protocol, protocols[at % protocols.length]!]))
          await requireShortTurns(
            client.operation.path,
            service.apiKey,
            JSON.stringify({ ...body, model: `m/${protocol}` }),
          )
      })
  })

const texts = times(2048, () => 'word '.repeat(390))
/** Requests for embeddings, and answers of up to 40 MB. */
const embeddingsBodies: Record<string, object> = {
  '2,048 texts of 2 kB': { input: texts },
  'one text of 4 MB': { input: 'word '.repeat(800_000) },
  '2,048 lists of token ids': { input: times(2048, () => times(40, (i) => 100_000 + i)) },
  'a list of 80,000 token ids': { input: times(80_000, (i) => 100_000 + i) },
  '490,000 token ids': { input: times(1400, () => times(350, (i) => 100_000 + i)) },
  'an answer of 40 MB': { input: times(2048, () => 'a'), dimensions: 1024 },
  'an answer of 20 MB in another format': {
    input: times(1024, () => 'a'),
    dimensions: 1024,
    encoding_format: 'base64',
  },
}

describe(`no request for embeddings holds the main thread longer than ${mostMs} ms at a time`, () => {
  for (const [name, body] of Object.entries(embeddingsBodies))
    test(name, async () => {
      const text = JSON.stringify({ ...body, model: 'm/embeddings' })
      assert.equal(await requireShortTurns('/embeddings', service.apiKey, text), 200)
    })
})

const members = (count: number) =>
  fields(
    count,
    (i) => (36 ** 3 + i).toString(36),
    () => 1,
  )
const objects = times(5, () => members(20_000))

/** Bodies of up to 1 MiB, whose parts are not limited. */
const managementBodies: Record<string, [path: string, body: object]> = {
  'a preset with 20,000 unknown fields': ['/presets/large/responses', members(20_000)],
  'a preset with 110,000 unknown fields': ['/presets/large/responses', members(110_000)],
  'a preset with large objects': ['/presets/large/responses', { image_config: { objects } }],
  'a preset with large schemas': [
    '/presets/large/responses',
    { tools: objects.map((parameters, i) => ({ type: 'function', name: `f${i}`, parameters })) },
  ],
  'a preset with 340,000 objects': [
    '/presets/large/chat/completions',
    { image_config: { a: times(340_000, () => ({})) } },
  ],
  'a guardrail with large unknown fields': ['/guardrails', { name: 'a', objects }],
}

describe(`no management request holds the main thread longer than ${mostMs} ms at a time`, () => {
  for (const [name, [path, body]] of Object.entries(managementBodies))
    test(name, async () => void (await requireShortTurns(path, service.managementKey, JSON.stringify(body))))
})

const reader = jsonReader(fastify())

/** The largest body that is accepted, to within 20 %. */
function largestBody(client: ClientProtocol, make: GrowingBody): Body {
  const sample = JSON.stringify(make(1000))
  for (let count = (1000 * maxBodyBytes) / sample.length; ; count *= 0.8) {
    const body = make(Math.floor(count))
    if (isAccepted(client, JSON.stringify({ ...body, model: `m/${protocols[2]}` }))) return body
  }
}

function isAccepted(client: ClientProtocol, text: string): boolean {
  if (text.length > maxBodyBytes) return false
  try {
    const parsed = parseWith(client.operation.request, runWithoutPauses(reader.readLong(text)).value)
    if (parsed.success) client.toChat(parsed.data as Body)
    return parsed.success
  } catch {
    return false
  }
}

/** @returns the status of the answer. */
async function requireShortTurns(path: string, key: string, text: string): Promise<number | undefined> {
  let least = Number.POSITIVE_INFINITY
  let answer: { status: number; text: string } | undefined
  for (let run = 0; run < mostRuns && least > mostMs; run++) {
    const endWatch = watchTurns()
    answer = await thread.send({ url: service.url + path, key, text })
    least = Math.min(least, endWatch().processorMs)
    assert.ok(answer.status < 500 && answer.status !== 401, `${answer.status} ${answer.text}`)
  }
  assert.ok(
    least <= mostMs || least <= busyLimitMs(mostMs),
    `${least.toFixed(0)} ms for ${text.length} bytes, answered ${answer?.status}`,
  )
  return answer?.status
}
