import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseKind, onOneDatabase } from '../../../harness/database/databases.ts'
import { open, scripted } from '../../../harness/interns/intern-chat.ts'
import {
  answer,
  daemonPid,
  type InternReply,
  runningIntern,
  say,
  trySay,
  untilIntern,
} from '../../../harness/interns/interns.ts'
import { startReceiver, verified } from '../../../harness/service/receiver.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

const cent = 0.01
const ofRequests = { prices: { prompt: 0, completion: 0, request: cent } }

/** A service at which each request of an intern to its model costs a cent by default. */
async function startPriced(kind: DatabaseKind, settings: object = {}, signalbox: object = ofRequests) {
  const catalogue = { models: { 'signalbox/demo': { endpoints: { signalbox } } } }
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-budgets-'))
  const catalogue_file = join(folder, 'catalogue.json')
  writeFileSync(catalogue_file, JSON.stringify(catalogue))
  const service = await startTestService({ kind, settings: { ...scripted, catalogue_file, ...settings } })
  const end = async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...service, [Symbol.asyncDispose]: end }
}

/** Continues until it is ended. */
const twoCents = 'model_says one\nmodel_says two\nwait 3600000'
const spent = ({ error }: InternReply, budget: string) =>
  assert.deepEqual(
    [error?.code, error?.metadata],
    [410, { reason: 'run_ended', retryable: false, budget }],
    error?.message ?? '',
  )
const runsOf = async (service: TestService, id: string) => (await service.ask('GET', `/interns/${id}/runs`)).body.data
/** @param among the expected number of runs: one is listed once the service has read it from the daemon. */
const lastRun = (service: TestService, id: string, among = 1) =>
  until(async () => {
    const [run, ...before] = await runsOf(service, id)
    return run?.status === 'ended' && before.length === among - 1 && run
  })

onOneDatabase('a budget', (kind) => {
  test('ends a turn that has used its budget, with the reason', async () => {
    await using receiver = await startReceiver()
    await using service = await startPriced(kind, { webhook_origins: [receiver.origin] })
    const { body: hook } = await service.manage('POST', '/webhooks', { url: receiver.url })
    const { id, budget } = await runningIntern(service, { agent: 'scripted', budget: { max_cost_usd: 2 * cent } })
    assert.deepEqual(budget, { max_cost_usd: 2 * cent })
    const turn = await trySay(service, id, twoCents)
    spent(turn, 'max_cost_usd')
    const message = 'The turn reached its limit of 0.02 USD (max_cost_usd).'
    assert.equal(turn.error?.message, message)
    assert.equal(turn.chunks.at(-1).usage.cost, 2 * cent)
    const run = await lastRun(service, id)
    assert.deepEqual([run.outcome, run.error, run.cost_usd], ['over_budget', message, 2 * cent])
    const { entries } = (await service.ask('GET', `/interns/${id}/sessions/${turn.sessionId}`)).body.data
    // Text that the agent had already received can follow the end.
    const end = entries.findLast(({ type }: { type: string }) => type === 'end')
    assert.deepEqual([end?.outcome, end?.message], ['over_budget', message])
    const result = verified(hook.secret, await receiver.receive('intern.run_ended')).data
    assert.deepEqual([result.outcome, result.error], ['over_budget', message])
    const { text } = await service.ask('GET', '/metrics', { key: service.managementKey })
    assert.match(text, /^signalbox_intern_turns_ended_total\{outcome="over_budget"\} 1$/m)
    assert.equal(
      (await say(service, id, 'say on', { session_id: turn.sessionId })).text,
      'on',
      'the next is another turn',
    )
  })

  test('holds for the builtin agent, which begins no further request', async () => {
    await using service = await startPriced(kind)
    const { id } = await runningIntern(service, { budget: { max_cost_usd: 2 * cent } })
    spent(await trySay(service, id, 'write a haiku', { approval_mode: 'self-drive' }), 'max_cost_usd')
    const run = await lastRun(service, id)
    assert.deepEqual([run.outcome, run.cost_usd], ['over_budget', 2 * cent])
  })

  test('allows no request when it is spent, independent of the agent’s report', async () => {
    await using service = await startPriced(kind)
    const { id } = await runningIntern(service, { agent: 'scripted', budget: { max_cost_usd: 2 * cent } })
    const many = Array.from({ length: 6 }, (_, at) => `model_says ${at}`).join('\n')
    spent(await trySay(service, id, `${many}\nfail at last`), 'max_cost_usd')
    const run = await lastRun(service, id)
    assert.deepEqual([run.outcome, run.cost_usd], ['over_budget', 2 * cent])
  })

  test('is not exceeded by concurrent requests: the turn ends at the limit', async () => {
    await using service = await startPriced(kind)
    const limits = { max_cost_usd: 3.5 * cent, session_max_cost_usd: 4.5 * cent }
    const { id } = await runningIntern(service, { agent: 'scripted', budget: limits })
    const turn = await trySay(service, id, 'models_say 20\nwait 3600000')
    spent(turn, 'max_cost_usd')
    const needed = 'The next request of the turn can cost up to 0.01 USD, which would exceed'
    assert.equal(turn.error?.message, `${needed} its limit of 0.035 USD (max_cost_usd).`)
    assert.equal((await lastRun(service, id)).cost_usd, 3 * cent)
    const second = await trySay(service, id, 'models_say 20\nwait 3600000', { session_id: turn.sessionId })
    spent(second, 'session_max_cost_usd')
    assert.equal(second.error?.message, `${needed} the remaining 0.015 USD of its session (session_max_cost_usd).`)
    assert.equal((await lastRun(service, id, 2)).cost_usd, cent)
  })

  test('needs no room for the longest answer: a shorter one is requested', async () => {
    // 0.64 USD for the longest answer, 0.01 for one of a thousand tokens.
    const endpoint = { prices: { prompt: 0, completion: 10 }, max_completion_tokens: 64_000 }
    await using service = await startPriced(kind, {}, endpoint)
    const { id } = await runningIntern(service, { budget: { max_cost_usd: 5 * cent } })
    const turn = await say(service, id, 'write a haiku', { approval_mode: 'self-drive' })
    assert.equal(turn.error, undefined)
    const { outcome, cost_usd } = await lastRun(service, id)
    assert.equal(outcome, 'finished')
    assert.ok(cost_usd > 0 && cost_usd <= 5 * cent, `${cost_usd} USD`)
    const poor = { budget: { max_cost_usd: 0.9 * cent }, approval_mode: 'self-drive' }
    const refused = await trySay(service, id, 'write a haiku', poor)
    spent(refused, 'max_cost_usd')
    assert.match(refused.error?.message ?? '', /can cost up to 0\.01 USD/)
  })

  test('holds for a turn in the background, and for one in a session of a stock client', async () => {
    await using service = await startPriced(kind)
    const { id } = await runningIntern(service, { agent: 'scripted', budget: { max_cost_usd: cent } })
    const body = { messages: [{ role: 'user', content: twoCents }] }
    await service.ask('POST', `/interns/${id}/chat/completions`, { body: { ...body, background: true } })
    assert.equal((await lastRun(service, id)).outcome, 'over_budget')
    const whole = await service.ask('POST', `/interns/${id}/sessions/mine/chat/completions`, { body })
    assert.deepEqual([whole.status, whole.body.error.metadata.budget], [410, 'max_cost_usd'])
  })

  test('of a turn does not limit the next turn after its end', async () => {
    await using service = await startPriced(kind)
    const { id } = await runningIntern(service, { agent: 'scripted', budget: { max_cost_usd: 1.5 * cent } })
    for (let turn = 0; turn < 6; turn++) await say(service, id, 'model_says hi')
  })

  test('of time ends a silent turn; a prompt can only lower it', async () => {
    await using service = await startPriced(kind)
    const { id } = await runningIntern(service, { agent: 'scripted', budget: { max_seconds: 1 } })
    const turn = await trySay(service, id, 'wait 3600000', { budget: { max_seconds: 3600 } })
    spent(turn, 'max_seconds')
    assert.equal(turn.error?.message, 'The turn reached its limit of 1 seconds of work (max_seconds).')
    await service.ask('PATCH', `/interns/${id}`, { body: { budget: null } })
    assert.equal((await service.ask('GET', `/interns/${id}`)).body.budget, null)
    spent(await trySay(service, id, 'say started\nwait 3600000', { budget: { max_seconds: 1 } }), 'max_seconds')
  })

  test('of time does not count for how long a turn waits', async () => {
    await using service = await startPriced(kind)
    const { id } = await runningIntern(service, { agent: 'scripted' })
    const turn = await say(service, id, 'permission shell allow_once\nsay done', { budget: { max_seconds: 15 } })
    const { body } = await service.ask('GET', `/interns/${id}/questions`)
    assert.ok(Date.parse(body.data[0].deadline_at) - Date.now() > 30_000, 'the deadline of its question is another')
    await sleep(16_000)
    assert.match((await answer(service, id, turn, 'allow_once')).text, /done/)
  })

  test('of a session holds for all its turns together, and then refuses the next', async () => {
    await using service = await startPriced(kind)
    const budget = { session_max_cost_usd: 3 * cent, session_max_turns: 3 }
    const { id } = await runningIntern(service, { agent: 'scripted', budget })
    const { sessionId: session_id } = await say(service, id, 'model_says one')
    const turn = await trySay(service, id, twoCents, { session_id })
    spent(turn, 'session_max_cost_usd')
    assert.match(turn.error!.message, /^The turn reached the remaining 0\.02 USD of its session/)
    const refused = await trySay(service, id, 'say more', { session_id })
    assert.deepEqual(
      [refused.status, refused.error?.message],
      [403, 'The session has cost 0.03 USD, its limit is 0.03 USD (session_max_cost_usd).'],
    )
    await service.ask('PATCH', `/interns/${id}`, { body: { budget: { session_max_turns: 3 } } })
    assert.equal((await say(service, id, 'say third', { session_id })).text, 'third')
    const fourth = await trySay(service, id, 'say fourth', { session_id })
    assert.deepEqual(
      [fourth.status, fourth.error?.message],
      [403, 'The session reached its limit of 3 turns (session_max_turns).'],
    )
    assert.equal((await say(service, id, 'say hello')).text, 'hello')
  })

  test('of a session applies to concurrent prompts', async () => {
    const turns_per_minute_user = 1000
    await using service = await startPriced(kind, { turns_per_minute_user })
    const { id } = await runningIntern(service, { agent: 'scripted', budget: { session_max_turns: 2 } })
    await say(service, id, 'say first', { session_id: 'mine' })
    const asking = Array.from({ length: 24 }, async (_, at) => {
      await sleep(at * 12)
      return trySay(service, id, 'say x', { session_id: 'mine' })
    })
    const statuses = (await Promise.all(asking)).map(({ status }) => status)
    const [session] = (await service.ask('GET', `/interns/${id}/sessions`)).body.data
    assert.deepEqual([session.turns, statuses.filter((status) => status === 200).length], [2, 1], String(statuses))
  })

  test('of a session counts turns whose intern stopped before they were recorded', async () => {
    await using service = await startPriced(kind)
    // More than both turns cost: the second one would otherwise end for its budget, perhaps before its text is read.
    const { id } = await runningIntern(service, { agent: 'scripted', budget: { session_max_cost_usd: 3 * cent } })
    // The service reads runs from the daemon in steps, with a pause after each.
    const { sessionId: session_id } = await say(service, id, 'model_says one')
    await lastRun(service, id)
    const messages = [{ role: 'user', content: 'model_says two\nwait 3600000' }]
    const reply = await open(service, id, { session_id, approval_mode: 'manual', messages })
    await until(async () => JSON.stringify(await reply.next()).includes('You said'))
    assert.equal((await service.ask('POST', `/interns/${id}/suspend`)).status, 200)
    await reply.rest()
    await service.ask('POST', `/interns/${id}/provision`)
    await untilIntern(service, id, 'running')
    await service.ask('PATCH', `/interns/${id}`, { body: { budget: { session_max_cost_usd: 2 * cent } } })
    const refused = await trySay(service, id, 'say more', { session_id })
    assert.deepEqual(
      [refused.status, refused.error?.message],
      [403, 'The session has cost 0.02 USD, its limit is 0.02 USD (session_max_cost_usd).'],
    )
  })

  test('of a session holds for turns, too, that were broken off with their intern', async () => {
    await using service = await startPriced(kind)
    // The budget covers three turns, so that no aborted one ends for its budget first.
    const settings = { agent: 'scripted', visibility: 'workspace', budget: { session_max_cost_usd: 3 * cent } }
    const { id } = await runningIntern(service, settings)
    const path = `/interns/${id}/sessions/mine/chat/completions`
    const daemon = () => daemonPid(service.testStore.settings.data_dir, id)
    const ends = [() => service.ask('POST', `/interns/${id}/suspend`), async () => process.kill(daemon(), 'SIGKILL')]
    for (const [at, end] of ends.entries()) {
      const messages = [{ role: 'user', content: 'model_says one\nwait 3600000' }]
      const started = await service.ask('POST', path, { body: { messages, background: true } })
      assert.equal(started.status, 202, JSON.stringify(started.body))
      await until(async () => (await service.ask('GET', '/generations')).body.data.length > at)
      const ended = daemon()
      await end()
      const run = await lastRun(service, id, at + 1)
      assert.equal(run.outcome, at === 0 ? 'cancelled' : 'severed')
      if (at === 0) await service.ask('POST', `/interns/${id}/provision`)
      // Until the end of a daemon is detected, its intern still has the status `running`.
      await until(() => daemon() !== ended)
      await untilIntern(service, id, 'running')
    }
    // It spends the last of the budget: it ends itself, or is ended for that.
    await trySay(service, id, 'model_says one', { session_id: 'mine' })
    const refused = await trySay(service, id, 'say more', { session_id: 'mine' })
    assert.deepEqual(
      [refused.status, refused.error?.message],
      [403, 'The session has cost 0.03 USD, its limit is 0.03 USD (session_max_cost_usd).'],
    )
  })
})
