import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, leaveAt, startBilled } from '../../harness/service/billed-service.ts'
import {
  cutting,
  dropping,
  flooding,
  lying,
  obedient,
  reader,
  silent,
} from '../../harness/upstream/faulty/billing-upstream.ts'
import { dataUrl, png } from '../../harness/upstream/media.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const provider = { only: ['billing'] }
const answering = (text: string) => text.includes('"a"') || text.includes('"error"')

const long = 'of course, and so on '.repeat(5000)
const chinese = '我们的价格是多少？'.repeat(10_000)
const picture = dataUrl('image/png', png(500, 500, [], 1000))
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ long }) } }

/** Prompts that an earlier version counted only in part. */
const prompts: Record<string, { path?: string; body: object }> = {
  'in the arguments of tool calls': {
    body: {
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
    },
  },
  'through /responses': {
    path: '/responses',
    body: { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: call.function.arguments }] },
  },
  'in Chinese': { body: { messages: [{ role: 'user', content: chinese }] } },
  'of images': {
    body: {
      messages: [{ role: 'user', content: Array(50).fill({ type: 'image_url', image_url: { url: picture } }) }],
    },
  },
}

for (const [promptKind, { path, body }] of Object.entries(prompts)) {
  test(`a long prompt ${promptKind}, left in mid-answer, is charged no less than it is billed`, async () => {
    await using billed = await startBilled({ prices: { prompt: 10, completion: 1 }, behaviours: { reader } })
    const key = await billed.keyWith(5)
    const request = { model: 'billed/reader', max_tokens: 100, max_output_tokens: 100, stream: true, provider, ...body }
    let served = 0
    for (let times = 0; times < 20; times++)
      if ((await leaveAt(billed, key, request, answering, path)) === 200) served++
    await billed.upstream.waitUntilIdle()
    assert.ok(served > 0 && served < 20, `${served} were served`)
    assert.ok(billed.billed() > 0.5 && billed.billed() <= 5, `${billed.billed()} USD were billed`)
  })
}

for (const [failure, failing] of Object.entries({ 'breaks off': cutting, 'reports no usage': silent })) {
  test(`an answer that ${failure} is charged its highest possible cost`, async () => {
    const endpointProperties = { failing: { supported_parameters: ['reasoning'] } }
    await using billed = await startBilled({
      prices: { prompt: 1, completion: 100 },
      behaviours: { failing },
      endpointProperties,
    })
    const key = await billed.keyWith(2)
    const request = { model: 'billed/failing', messages, max_tokens: 9000, stream: true, provider }
    for (let times = 0; times < 20; times++) await ask(billed, key, request)
    assert.ok(billed.billed() > 0.8 && billed.billed() <= 2, `${billed.billed()} USD were billed`)
  })
}

test('a failed attempt is charged, and the next endpoint must fit the limit too', async () => {
  await using billed = await startBilled({ prices: { prompt: 1, completion: 100 }, behaviours: { dropping } })
  const request = { model: 'billed/dropping', messages, max_tokens: 9000 }
  const narrow = await billed.keyWith(1)
  assert.equal((await ask(billed, narrow, request)).status, 502)
  assert.equal(billed.upstream.requests.length, 1)
  const wide = await billed.keyWith(2)
  assert.equal((await ask(billed, wide, request)).status, 502)
  assert.equal(billed.upstream.requests.length, 3)
  assert.equal((await ask(billed, wide, request)).status, 403)
  const remaining = async () => (await billed.left(narrow)) + (await billed.left(wide))
  for (let tries = 0; tries < 3600 && (await remaining()) > 1; tries++) await sleep(50)
  assert.ok(
    3 - (await remaining()) >= billed.billed(),
    `${await remaining()} USD are left, ${billed.billed()} were billed`,
  )
})

test('a slow reader that leaves is charged the whole reservation', async () => {
  await using billed = await startBilled({ prices: { prompt: 1, completion: 10 }, behaviours: { flooding } })
  const key = await billed.keyWith(2)
  const leaving = new AbortController()
  await fetch(`${billed.service.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'billed/flooding', messages, max_tokens: 100_000, stream: true, provider }),
    signal: leaving.signal,
  })
  await sleep(500)
  leaving.abort()
  await billed.upstream.waitUntilIdle()
  for (let tries = 0; tries < 3600 && (await billed.left(key)) === 2; tries++) await sleep(50)
  assert.ok(2 - (await billed.left(key)) >= billed.billed(), `${await billed.left(key)}`)
})

test('a claim beyond the maximum of the request counts as the maximum', async () => {
  await using billed = await startBilled({ prices: { prompt: 10, completion: 100 }, behaviours: { lying } })
  const key = await billed.keyWith(1)
  const response = await ask(billed, key, { model: 'billed/lying', messages, max_tokens: 100, provider })
  assert.ok(response.body.usage.cost < 0.022, `${response.body.usage.cost} USD`)
  for (let tries = 0; tries < 3600 && (await billed.left(key)) === 1; tries++) await sleep(50)
  assert.ok((await billed.left(key)) > 0.978)
  const id = response.headers.get('x-generation-id')
  const { data } = (await billed.service.ask('GET', `/generation?id=${id}`, { key })).body
  assert.deepEqual([data.tokens_capped, data.tokens_estimated, data.tokens_completion], [true, false, 100])
})

test('no unknown limit or count can raise the bill above a limit', async () => {
  await using billed = await startBilled({ prices: { prompt: 1, completion: 100 }, behaviours: { obedient } })
  const unknown = {
    num_predict: 90_000,
    max_length: 90_000,
    options: { num_predict: 90_000 },
    num_return_sequences: 100,
    candidate_count: 100,
    generationConfig: { candidateCount: 100 },
  }
  const request = { model: 'billed/obedient', messages, max_tokens: 100, provider, ...unknown }
  const limited = await ask(billed, await billed.keyWith(1), request)
  assert.equal(limited.status, 200)
  assert.ok(billed.billed() <= 0.02, `${billed.billed()} USD were billed`)
  assert.equal(limited.headers.get('x-fields-left-out'), Object.keys(unknown).join(', '))
  const free = await ask(billed, billed.service.apiKey, request)
  assert.equal(free.headers.get('x-fields-left-out'), null)
  assert.equal(billed.upstream.requests[1]?.body.num_return_sequences, 100)
})
