import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { onEachDatabase } from '../../../harness/database/databases.ts'
import { answer, runningIntern, say, trySay } from '../../../harness/interns/interns.ts'
import { type KilledInterns, type KilledServer, killedInterns } from '../../../harness/interns/killed-interns.ts'
import { expireLeases, killServer, ledgerUsd, readAccount } from '../../../harness/money/money-kills.ts'
import { until } from '../../../harness/until.ts'

const cent = 0.01
const near = (usd: number, cents: number) =>
  assert.ok(Math.abs(usd - cents * cent) < 1e-9, `${usd} USD of ${cents} cents`)

/**
 * An intern, and functions that kill its server and start the next. The next one does not run before: it could be the
 * one that supervises the intern, and the agent would call its model there.
 */
async function internToLose(w: KilledInterns, budget: object) {
  const first = await w.start()
  const { id } = await runningIntern(first as never, { agent: 'scripted', budget })
  const killed = async (): Promise<KilledServer> => {
    await killServer(first.server)
    const next = await w.start()
    const message = join(w.testStore.settings.data_dir, 'interns', id, 'service-url')
    await until(() => readFileSync(message, 'utf8').startsWith(next.url))
    return next
  }
  return { first, id, killed }
}

/**
 * Waits until this many turns are over. Requests count for each open turn of the intern, and its server reads their
 * ends later.
 */
async function ended({ ask }: KilledServer, id: string, count: number): Promise<void> {
  await until(async () => {
    const { data } = (await ask('GET', `/interns/${id}/runs`)).body
    return data.length === count && data.every((run: { status: string }) => run.status === 'ended')
  })
}

/** Calls a model once more, whatever the result, and ends only with the budget. */
const oneTooMany = 'models_say 1\nwait 3600000'
const session_id = 'mine'

onEachDatabase('a server that is killed in a turn with a budget', (kind) => {
  test('while its question waits: the session is charged for the answer, once', async () => {
    await using w = await killedInterns(kind)
    // The available amount of a killed server stays charged: less than half a cent.
    const budget = { max_cost_usd: 3.5 * cent, session_max_cost_usd: 6.5 * cent }
    const { first, id, killed } = await internToLose(w, budget)
    await say(first as never, id, 'model_says one', { session_id })
    const question = 'model_says two\npermission shell allow_once\nmodel_says three\nsay done'
    const turn = await say(first as never, id, question, { session_id })
    assert.equal(turn.finish, 'tool_calls', JSON.stringify(turn.error))
    // Answers of a killed server that were not yet written, for a fifth of a second, are charged and in no ledger.
    await until(async () => (await ledgerUsd(w.testStore)) > 1.5 * cent)
    const next = await killed()
    const reply = await answer(next as never, id, turn, 'allow_once')
    assert.deepEqual([reply.finish, reply.error], ['stop', undefined])
    near(reply.chunks.at(-1).usage.cost, 2)
    await ended(next, id, 2)
    const third = await say(next as never, id, 'model_says a\nmodel_says b\nmodel_says c', { session_id })
    assert.deepEqual([third.finish, third.error], ['stop', undefined], 'nothing was charged twice')
    await ended(next, id, 3)
    const fourth = await trySay(next as never, id, oneTooMany, { session_id })
    assert.deepEqual([fourth.error?.code, fourth.error?.metadata], [410, overBudget])
    await until(async () => (await ledgerUsd(w.testStore)) > 5.5 * cent)
    near(await ledgerUsd(w.testStore), 6)
  })

  test('while its agent waits: the reservation is charged once, the rest remains', async () => {
    await using w = await killedInterns(kind)
    const { first, id, killed } = await internToLose(w, { session_max_cost_usd: 3.5 * cent })
    await say(first as never, id, 'model_says one', { session_id })
    let cutOff: unknown
    void say(first as never, id, 'model_says demo:slow=600000', { session_id }).catch((error) => (cutOff = error))
    // The previous turn is in the ledger and reported, so the reservations belong to this one.
    await until(async () => {
      const { spent, held } = await readAccount(w.testStore, `session:${id} ${session_id}`)
      if (cutOff) throw cutOff
      return spent >= cent && held >= cent
    })
    const next = await killed()
    await until(() => cutOff)
    await expireLeases(w.testStore)
    await ended(next, id, 2)
    const third = await trySay(next as never, id, `model_says three\n${oneTooMany}`, { session_id })
    assert.match(third.text, /You said: three/)
    assert.deepEqual([third.error?.code, third.error?.metadata], [410, overBudget])
    await ended(next, id, 3)
    const secondTurn = await say(next as never, id, 'model_says five')
    assert.deepEqual([secondTurn.finish, secondTurn.error], ['stop', undefined])
    await until(async () => (await ledgerUsd(w.testStore)) > 2.5 * cent)
    near(await ledgerUsd(w.testStore), 3)
  })
})

const overBudget = { reason: 'run_ended', retryable: false, budget: 'session_max_cost_usd' }
