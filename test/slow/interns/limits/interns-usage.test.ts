import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { hashOf } from '#identity/accounts/keys/secret.ts'
import { newTestStore } from '../../../harness/database/databases.ts'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { startInternHosts } from '../../../harness/interns/intern-hosts.ts'
import { answer, type InternReply, runningIntern, say, trySay } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

/** Prices that no binary fraction represents exactly. */
const prices = { prompt: 0.1, completion: 0.7, request: 0.000_003 }
const catalogue = { models: { 'signalbox/demo': { endpoints: { signalbox: { prices } } } } }

async function startPriced(agent?: string) {
  const testStore = await newTestStore('sqlite')
  const file = join(testStore.settings.data_dir, '..', `priced-interns-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(catalogue))
  const service = await startTestService({ testStore, settings: { catalogue_file: file, ...scripted } })
  const { id } = await runningIntern(service, agent ? { agent } : {})
  const { secret } = JSON.parse(readFileSync(join(testStore.settings.data_dir, 'interns', id, 'daemon.json'), 'utf8'))
  const stop = async () => {
    await service.stop()
    await testStore.remove()
  }
  return { service, id, keyHash: hashOf(secret), [Symbol.asyncDispose]: stop }
}

type Metered = { requests: number; prompt: number; completion: number; cost: number }

/** The metered usage of the intern's own key, once it is this many requests. */
async function metered(service: TestService, keyHash: string, requests: number): Promise<Metered> {
  return until(async () => {
    const { body } = await service.manage('GET', `/activity?api_key_hash=${keyHash}`)
    const [row] = body.data
    const cost = row?.usage
    return (
      row?.requests === requests && { requests, prompt: row.prompt_tokens, completion: row.completion_tokens, cost }
    )
  })
}

const usageOf = ({ chunks }: InternReply) => chunks.at(-1).usage
const dollars = (amount: number) => Number(amount.toFixed(12))

test('the usage in the last chunk of a turn is the sum of its metered requests', async () => {
  await using run = await startPriced()
  const { service, id, keyHash } = run
  const turn = await say(service, id, 'write a haiku')
  const reply = await answer(service, id, turn, 'allow_once')
  const first = await metered(service, keyHash, 3)
  const { prompt_tokens, completion_tokens, total_tokens, cost } = usageOf(reply)
  assert.deepEqual([prompt_tokens, completion_tokens, cost], [first.prompt, first.completion, first.cost])
  assert.equal(total_tokens, prompt_tokens + completion_tokens)
  assert.ok(cost > 0)

  const second = usageOf(await say(service, id, 'hello', { session_id: reply.sessionId }))
  const both = await metered(service, keyHash, 4)
  assert.equal(second.prompt_tokens, both.prompt - first.prompt)
  assert.equal(second.cost, dollars(both.cost - first.cost))
})

for (const [prompt, what] of [
  ['demo:nousage demo:words=5', 'a turn whose model reports no usage'],
  ['error 400 late', 'a turn whose model fails halfway'],
] as const) {
  test(`${what} has the estimated usage in its last chunk`, async () => {
    await using run = await startPriced()
    const usage = usageOf(await trySay(run.service, run.id, prompt))
    const { prompt: promptTokens, completion, cost } = await metered(run.service, run.keyHash, 1)
    assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.cost], [promptTokens, completion, cost])
    assert.ok(cost > 0)
  })
}

test('a turn of an agent without usage has the metered tokens and cost', async () => {
  await using run = await startPriced('scripted')
  const usage = usageOf(await say(run.service, run.id, 'model_says one\nmodel_says two and more'))
  const { prompt, completion, cost } = await metered(run.service, run.keyHash, 2)
  assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.cost], [prompt, completion, cost])
  assert.ok(cost > 0)
  const next = usageOf(await say(run.service, run.id, 'model_says three'))
  const all = await metered(run.service, run.keyHash, 3)
  assert.deepEqual([next.prompt_tokens, next.cost], [all.prompt - prompt, dollars(all.cost - cost)])
  assert.equal(usageOf(await say(run.service, run.id, 'say nothing was asked')), null)
})

test('an agent that reports tokens without cost gets the metered cost', async () => {
  await using run = await startPriced('scripted')
  const usage = usageOf(await say(run.service, run.id, 'model_says one\nusage 11 7'))
  const { cost } = await metered(run.service, run.keyHash, 1)
  assert.deepEqual([usage.prompt_tokens, usage.completion_tokens, usage.cost], [11, 7, cost])
})

test('usage of overlapping turns is not attributed to one of them', async () => {
  await using run = await startPriced('scripted')
  const [one, other] = await Promise.all([
    say(run.service, run.id, 'model_says one\nwait 500'),
    say(run.service, run.id, 'model_says two\nwait 500'),
  ])
  assert.deepEqual([usageOf(one), usageOf(other)], [null, null])
})

const skip = process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set'

test('the usage of a turn is complete at once, also if other servers metered it', {
  skip,
}, async () => {
  await using hosts = await startInternHosts()
  const { id } = await runningIntern(await hosts.start('a'), { agent: 'scripted' })
  const other = await hosts.start('b', { INTERNS: 'off' })
  const tookMs: number[] = []
  // Sooner than any ledger writes by itself, at least once: this machine can be busy.
  await until(async () => {
    const since = performance.now()
    const usage = usageOf(await say(other, id, 'model_says one\nmodel_says two'))
    tookMs.push(performance.now() - since)
    assert.ok(usage?.completion_tokens > 1, JSON.stringify(usage))
    return Math.min(...tookMs) < 700
  })
})
