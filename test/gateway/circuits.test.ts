import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFaultyService } from '../harness/service/faulty-service.ts'
import type { TestService } from '../harness/service/service.ts'
import { earlyFaults, validResponses } from '../harness/upstream/faulty/faults.ts'
import {
  chunk,
  completeResponse,
  deltaEvent,
  type FaultyBehaviour,
  type FaultyRequest,
  head,
  startFaultyUpstream,
  textEvents,
} from '../harness/upstream/faulty/faulty-upstream.ts'

const ask = (service: TestService, modelName: string, more: object = {}) =>
  service.ask('POST', '/chat/completions', {
    body: { model: `faulty/${modelName}`, messages: [{ role: 'user', content: 'Hi' }], ...more },
  })

const asks = (service: TestService, modelName: string, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await ask(service, modelName)).status))

/** A service over one endpoint whose behaviour the test changes as it goes, on a clock that the test turns. */
async function startChanging(first: FaultyBehaviour) {
  const current = { behaviour: first }
  const behaviours = { changing: (request: FaultyRequest) => current.behaviour(request) }
  const upstream = await startFaultyUpstream(behaviours)
  const clock = { ahead: 0 }
  const patient = { first_byte_timeout_ms: 60_000, silence_timeout_ms: 60_000, keepalive_ms: 60_000 }
  const now = () => Date.now() + clock.ahead
  const service = await startFaultyService(upstream, ['changing'], { now, settings: patient })
  const metrics = async () => (await service.ask('GET', '/metrics', { key: service.managementKey })).text
  return {
    current,
    clock,
    service,
    upstream,
    metrics,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

test('a reset of all connections with twelve requests in flight opens no circuit', async () => {
  const held: FaultyRequest[] = []
  await using fixture = await startChanging((request) => {
    held.push(request)
    if (held.length === 12) for (const { socket } of held) socket.resetAndDestroy()
  })
  assert.deepEqual(await asks(fixture.service, 'changing', 12), Array(12).fill(502))
  fixture.current.behaviour = validResponses.ok!
  assert.deepEqual(await asks(fixture.service, 'changing', 20), Array(20).fill(200))
  assert.match(await fixture.metrics(), /signalbox_circuits\{state="open"\} 0/)
})

test('invalid requests of clients open no circuit', async () => {
  for (const status of [400, 404, 409]) {
    await using fixture = await startChanging(
      ({ socket }) => void socket.write(completeResponse(status, '{"error":{"message":"no"}}')),
    )
    await asks(fixture.service, 'changing', 40)
    fixture.current.behaviour = validResponses.ok!
    assert.deepEqual(await asks(fixture.service, 'changing', 10), Array(10).fill(200))
    assert.match(await fixture.metrics(), /signalbox_circuits\{state="open"\} 0/)
  }
})

test('an endpoint with an open circuit is refused at once, with reason and end', async () => {
  await using fixture = await startChanging(earlyFaults.error_500!.behaviour)
  const { service } = fixture
  for (let index = 0; index < 21; index++) await ask(service, 'changing')
  const refused = await ask(service, 'changing')
  assert.equal(refused.status, 503)
  const [exclusion] = refused.body.error.metadata.excluded
  const { until } = exclusion
  assert.deepEqual(exclusion, {
    endpoint: 'faulty/changing@faulty',
    reason: 'unavailable_now',
    circuit: 'failure_rate',
    until,
  })
  assert.ok(Math.abs(Date.parse(until) - Date.now()) < 60_000)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.match(
    await fixture.metrics(),
    /signalbox_circuit_shut_until_seconds\{endpoint="faulty\/changing@faulty"\} 1\d+/,
  )
  assert.match(await fixture.metrics(), /signalbox_circuit_openings_total\{reason="failure_rate"\} 1/)
  const id = refused.headers.get('x-generation-id')
  let record = await service.ask('GET', `/generation?id=${id}`)
  for (let timeouts = 0; record.status === 404 && timeouts < 200; timeouts++) {
    await sleep(50)
    record = await service.ask('GET', `/generation?id=${id}`)
  }
  const [attempt] = record.body.data.attempts
  assert.deepEqual([attempt.outcome, attempt.reason], ['circuit_open', `failure_rate until ${until}`])
})

test('a client that never reads its stream does not keep a recovered endpoint shut', async () => {
  await using fixture = await startChanging(earlyFaults.error_500!.behaviour)
  const { service, clock, current } = fixture
  for (let index = 0; index < 10; index++) await ask(service, 'changing')
  const flood = deltaEvent({ content: 'x'.repeat(10_000) })
  current.behaviour = (request) => {
    if (!request.body.stream) return validResponses.ok!(request)
    const more = () => {
      while (request.socket.writable && request.socket.write(chunk(flood)));
    }
    request.socket.write(head())
    request.socket.write(chunk(textEvents('Hello')[0]!))
    request.socket.on('drain', more)
    more()
  }
  clock.ahead += 5_000
  const { hostname, port, pathname } = new URL(service.url)
  const body = JSON.stringify({ model: 'faulty/changing', stream: true, messages: [{ role: 'user', content: 'Hi' }] })
  const reader = connect(Number(port), hostname)
  const fields = [`authorization: Bearer ${service.apiKey}`, 'content-type: application/json', 'host: x']
  const lines = [`POST ${pathname}/chat/completions HTTP/1.1`, ...fields, `content-length: ${body.length}`, '', body]
  reader.on('error', () => {}).pause()
  reader.write(lines.join('\r\n'))
  while (!(await fixture.metrics()).includes('signalbox_circuits{state="half_open"} 1')) await sleep(20)
  for (let index = 0; index < 9; index++) {
    clock.ahead += 1_000
    assert.equal((await ask(service, 'changing')).status, 200)
  }
  while (!(await fixture.metrics()).includes('signalbox_circuits{state="half_open"} 0')) await sleep(20)
  assert.equal(reader.bytesRead, 0)
  reader.destroy()
})
