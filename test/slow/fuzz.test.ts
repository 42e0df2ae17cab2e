import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type FuzzRequest, fuzzRequest, type Known } from '../fuzz/requests.ts'
import { onEachDatabase } from '../harness/database/databases.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

/** `FUZZ_SEED` and `FUZZ_REQUESTS` test other and more requests; a failure names the seed of its one request. */
const firstSeed = Number(process.env.FUZZ_SEED ?? 1) * 1_000_000
const requests = Number(process.env.FUZZ_REQUESTS ?? 10_000)
const atOnce = 8
/** The bound for a request that hangs; a busy machine must not reach it. */
const boundMs = 60_000
/** The routes whose streams continue until the client leaves. */
const endless = /^GET .*\/events$/

onEachDatabase('a service under fire', (kind) => {
  let service: TestService
  before(async () => {
    service = await startTestService({ kind, timeouts: { headersMs: 500, requestMs: 1000, checkEveryMs: 100 } })
  })
  after(() => service[Symbol.asyncDispose]())

  test(`${requests} hostile requests: no 500, no hang, and an answer afterwards`, async () => {
    const objects = await furnish(service)
    const statuses = new Map<number, number>()
    let seed = firstSeed
    const fire = async () => {
      while (seed < firstSeed + requests) {
        const requestSeed = seed++
        const request = fuzzRequest(requestSeed, objects)
        const status = await assertSurvived(service, request, requestSeed)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, fire))
    for (const status of [200, 400, 401, 404]) {
      assert.ok((statuses.get(status) ?? 0) > requests / 200, `hardly any ${status}: the shots go nowhere`)
    }
    assert.equal((await service.manage('GET', '/keys')).status, 200)
    assert.equal((await service.ask('GET', '/health')).status, 200)
  })
})

/** Existing ids and names, as targets. */
async function furnish(service: TestService): Promise<Known> {
  const make = async (path: string, body: object) => (await service.manage('POST', path, body)).body.data
  const several = <T>(make: (index: number) => Promise<T>) => Promise.all([0, 1, 2, 3, 4].map(make))
  const keys = await several((index) => make('/keys', { name: `target ${index}` }))
  const guardrails = await several((index) => make('/guardrails', { name: `target ${index}` }))
  const workspaces = await several((index) => make('/workspaces', { name: `target ${index}`, slug: `target-${index}` }))
  const presets = await several((index) => make(`/presets/target-${index}/responses`, { model: 'signalbox/demo' }))
  const models = [
    ['signalbox', 'demo'],
    ['openai', 'gpt-5'],
  ]
  const { managementKey, apiKey } = service
  return {
    keys: [...Array(6).fill(managementKey), apiKey, apiKey, apiKey, 'nonsense'],
    things: {
      keys: keys.map(({ hash }) => [hash]),
      guardrails: [...guardrails, ...workspaces].map((each) => [each.default_guardrail_id ?? each.id]),
      workspaces: workspaces.map(({ id }) => [id]),
      presets: presets.map(({ slug }) => [slug, '1']),
      models,
      model: models,
    },
  }
}

async function assertSurvived({ url }: TestService, request: FuzzRequest, seed: number): Promise<number> {
  const response = await send(url, request)
  const where = `seed ${seed}, ${request.about}:\n${request.bytes.toString('latin1').slice(0, 3000)}\n→ ${response?.slice(0, 600)}`
  assert.notEqual(response, undefined, `no answer within ${boundMs} ms to ${where}`)
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(response!)?.[1] ?? 0)
  assert.ok(status < 500, `${status} to ${where}`)
  assert.ok(status !== 0 || !request.whole, `the connection was closed without an answer to ${where}`)
  return status
}

/**
 * Everything received before the server closes; undefined if it does not close within the bound. A stream of events has
 * no end, so the client leaves it once it has started.
 */
function send(url: string, { bytes, about }: FuzzRequest): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  const answered = Promise.withResolvers<string | undefined>()
  const parts: Buffer[] = []
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  const impatience = setTimeout(() => {
    answered.resolve(undefined)
    socket.destroy()
  }, boundMs)
  socket.on('data', (part: Buffer) => {
    parts.push(part)
    if (endless.test(about) && /^content-type: text\/event-stream/im.test(part.toString('latin1'))) socket.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    clearTimeout(impatience)
    answered.resolve(Buffer.concat(parts).toString('latin1'))
  })
  return answered.promise
}
