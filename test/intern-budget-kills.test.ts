import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type DatabaseKind, onEachDatabase } from './harness/databases.ts'
import { answer, runningIntern, say, trySaying } from './harness/interns.ts'
import { type KilledInterns, type KilledServer, killedInterns } from './harness/killed-interns.ts'
import { killedAtOnce, ledgerUsd } from './harness/money-kills.ts'
import { until } from './harness/until.ts'

const cent = 0.01
const near = (usd: number, cents: number) =>
  assert.ok(Math.abs(usd - cents * cent) < 1e-9, `${usd} USD of ${cents} cents`)

/** A server, and what begins the other: with Postgres it is there already, else it comes when the first is killed. */
async function twoServers(w: KilledInterns, kind: DatabaseKind) {
  const first = await w.start()
  const beside = kind === 'postgres' ? await w.start() : undefined
  const killed = async (id: string): Promise<KilledServer> => {
    await killedAtOnce(first.server)
    const next = beside ?? (await w.start())
    // Then it looks after the intern, whose agent asks its model there.
    const told = join(w.place.settings.data_dir, 'interns', id, 'service-url')
    await until(() => readFileSync(told, 'utf8').startsWith(next.url))
    return next
  }
  return { first, killed }
}

const agent = 'scripted'
const session_id = 'mine'

onEachDatabase('a server that is killed in a turn with a budget', (kind) => {
  test('while its question waits: it is answered, and its session is charged for what was answered, once', async () => {
    await using w = await killedInterns(kind)
    const { first, killed } = await twoServers(w, kind)
    // What lies ready at a killed server stays charged: less than half a cent.
    const budget = { max_cost_usd: 3.5 * cent, session_max_cost_usd: 6.5 * cent }
    const { id } = await runningIntern(first as never, { agent, budget })
    await say(first as never, id, 'model_says one', { session_id })
    const question = 'model_says two\npermission shell allow_once\nmodel_says three\nsay done'
    const asked = await say(first as never, id, question, { session_id })
    assert.equal(asked.finish, 'tool_calls', JSON.stringify(asked.error))
    // What a killed server had answered and not yet written, for a fifth of a second, is charged and in no ledger.
    await until(async () => (await ledgerUsd(w.place)) > 1.5 * cent)
    const next = await killed(id)
    const said = await answer(next as never, id, asked, 'allow_once')
    assert.deepEqual([said.finish, said.error], ['stop', undefined])
    near(said.chunks.at(-1).usage.cost, 2)
    const third = await say(next as never, id, 'model_says a\nmodel_says b\nmodel_says c', { session_id })
    assert.deepEqual([third.finish, third.error], ['stop', undefined], 'nothing was charged twice')
    const fourth = await trySaying(next as never, id, 'model_says d', { session_id })
    assert.deepEqual([fourth.error?.code, fourth.error?.metadata], [410, overBudget])
    await until(async () => (await ledgerUsd(w.place)) > 5.5 * cent)
    near(await ledgerUsd(w.place), 6)
  })
})

const overBudget = { reason: 'run_ended', retryable: false, budget: 'session_max_cost_usd' }
