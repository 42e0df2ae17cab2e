import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '#cli/cli.ts'
import { newTestStore, onEachDatabase } from '../harness/database/databases.ts'
import { startMailServer } from '../harness/service/mail-server.ts'
import { startReceiver } from '../harness/service/receiver.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'

/** The demo model at a price of one cent for a word of its answer. */
const priced = {
  models: { 'signalbox/demo': { endpoints: { signalbox: { prices: { prompt: 0, completion: 10_000 } } } } },
}

const address = 'mailto:team@example.com'

onEachDatabase('notifications', (kind) => {
  test('an email of a threshold is sent once by two servers; Slack gets a text', async () => {
    const testStore = await newTestStore(kind)
    await using stack = new AsyncDisposableStack()
    stack.defer(testStore.remove)
    const mail = stack.use(await startMailServer())
    const slack = stack.use(await startReceiver())
    const catalogue_file = join(testStore.settings.data_dir, '..', `targets-${process.pid}-${kind}.json`)
    writeFileSync(catalogue_file, JSON.stringify(priced))
    const settings = { ...mail.settings, webhook_origins: [slack.origin], catalogue_file }
    const service = stack.use(await startTestService({ testStore, settings }))
    const other = kind === 'postgres' ? stack.use(await startTestService({ testStore, settings })) : service
    await service.manage('POST', '/webhooks', { url: address, events: ['limit.spent', 'limit.nearly_spent'] })
    await service.manage('POST', '/webhooks', { url: slack.url, format: 'slack' })
    const path = '/workspaces/default/budgets/monthly'
    const { body } = await service.manage('PUT', path, { limit_usd: 1, thresholds: [30, 10, 30] })
    assert.deepEqual(body.data.thresholds, [10, 30])
    const spend = (one: TestService) =>
      one.ask('POST', '/chat/completions', {
        body: { model: 'signalbox/demo', max_tokens: 10, messages: [{ role: 'user', content: 'demo:words=10' }] },
      })
    for (const one of [service, other, service, other]) assert.equal((await spend(one)).status, 200)
    const { to, content } = await mail.waitFor('30 % of the limit of the workspace')
    assert.deepEqual(to, ['team@example.com'])
    assert.match(content, /^From: Signalbox <signalbox@example\.com>/m)
    const texts = await until(
      () => slack.received.length === 2 && slack.received.map(({ body }) => JSON.parse(body).text as string),
    )
    assert.match(texts.toSorted().join(), /^\*10 % of .+ \(1 USD monthly\) is spent\*\n.+,\*30 % of /s)
    await mail.waitFor('10 % of the limit of the workspace')
    assert.equal(mail.received.length, 2)
  })
})

test('a temporary refusal of an email is retried, and a permanent one is listed', async () => {
  await using mail = await startMailServer({ refusals: 1000 })
  await using service = await startTestService({ settings: mail.settings })
  const { data } = (await service.manage('POST', '/webhooks', { url: address })).body
  await service.manage('POST', `/webhooks/${data.id}/test`)
  const delivery = await until(async () => {
    const [one] = (await service.manage('GET', `/webhooks/${data.id}/deliveries`)).body.data
    return one.attempts > 0 && one
  })
  assert.deepEqual([delivery.state, delivery.last_status], ['pending', 451])
  assert.match(delivery.last_error, /Try again later/)
})

test('email needs a mail server and one plain address', async () => {
  await using service = await startTestService()
  const refused = await service.manage('POST', '/webhooks', { url: address })
  assert.match(refused.body.error.message, /needs a mail server.+smtp_url/)
  for (const url of ['mailto:', 'mailto:a@example.com,b@example.com', 'mailto:a@example.com?bcc=b@example.com'])
    assert.equal((await service.manage('POST', '/webhooks', { url })).status, 400, url)
})

test('a sign-in link for another member is sent to them by email', async () => {
  await using mail = await startMailServer()
  await using service = await startTestService({ settings: mail.settings })
  await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada' })
  const { data } = (await service.manage('POST', '/sessions/links', { user_id: 'ada@example.com' })).body
  assert.equal(data.emailed, true)
  const { to, content } = await mail.waitFor(data.url.replace('#', '#emailed-'))
  assert.deepEqual([to, content.includes('15 minutes')], [['ada@example.com'], true])
  assert.equal((await service.manage('POST', '/sessions/links', {})).body.data.emailed, false)
})

test('thresholds of keys and guardrails are set by the command line', async () => {
  await using service = await startTestService()
  const run = async (...args: string[]) => {
    const lines: string[] = []
    const add = (text: string) => void lines.push(text)
    const env = { SIGNALBOX_URL: service.url, SIGNALBOX_KEY: service.managementKey }
    assert.equal(await runCli(args, { env, out: add, err: add }), 0, lines.join('\n'))
    return lines.join('\n')
  }
  const { hash } = (await service.manage('POST', '/keys', { name: 'desk', limit: 5 })).body.data
  await service.manage('POST', '/guardrails', { name: 'Team', limit_usd: 5 })
  for (const owner of [
    ['key', hash],
    ['guardrail', 'Team'],
  ]) {
    const show = ['budgets', 'thresholds', ...owner]
    assert.equal(await run(...show), '50 %, 80 %, 100 %')
    assert.equal(await run(...show, '--set', '90', '10'), '10 %, 90 %')
    assert.equal(await run(...show), '10 %, 90 %')
    assert.equal(await run(...show, '--none'), 'none')
    assert.equal(await run(...show, '--default'), '50 %, 80 %, 100 %')
  }
  assert.match(await run('budgets', 'key', hash), /key_limit +lifetime +\$5 +\$0\.000000/)
})
