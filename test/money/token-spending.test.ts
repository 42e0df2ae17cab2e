import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../harness/database/databases.ts'
import { startBilled } from '../harness/service/billed-service.ts'
import { startTokenIssuer } from '../harness/service/sign-in/token-issuer.ts'
import { until } from '../harness/until.ts'
import type { BillingBehaviour } from '../harness/upstream/faulty/billing-upstream.ts'

/** 100 tokens of a response cost 1 USD. */
const prices = { prompt: 1, completion: 10_000 }

/** Bills all tokens that it was allowed to generate. */
const whole: BillingBehaviour = (sale) => {
  sale.prompt = 10
  sale.completion = sale.body.max_tokens
  const choices = [{ index: 0, message: { role: 'assistant', content: 'words' }, finish_reason: 'stop' }]
  sale.end(JSON.stringify({ id: 'x', choices, usage: sale.usage() }))
}

const body = {
  model: 'billed/whole',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 10,
  provider: { only: ['billing'] },
}
const settingsOf = (url: string) => ({
  ...{ jwt_issuer: url, jwt_audience: 'signalbox', jwt_members: { 'ci:build': 'ci@example.com' } },
})

onEachDatabase('spending with tokens of an issuer', (kind) => {
  test('all tokens of a member spend their limit together, and never more', async () => {
    await using issuer = await startTokenIssuer()
    await using billed = await startBilled({ kind, prices, behaviours: { whole }, settings: settingsOf(issuer.url) })
    const { service } = billed
    const member = { email: 'ci@example.com', name: 'CI', access: 'developer' }
    const { id: userId } = (await service.manage('POST', '/organization/members', member)).body.data
    const [workspace] = (await service.manage('GET', '/workspaces')).body.data
    const guardrail = `/guardrails/${workspace.default_guardrail_id}`
    assert.equal((await service.manage('PATCH', guardrail, { limit_usd: 1 })).status, 200)
    const tokens = await Promise.all([1, 2].map((jti) => issuer.sign({ sub: 'ci:build', jti: String(jti) })))
    const ask = (key: string) => service.ask('POST', '/chat/completions', { key, body })
    // One request costs 0.10001 USD: nine fit.
    const statuses = []
    for (let count = 0; count < 8; count++)
      statuses.push(...(await Promise.all(tokens.map((token) => ask(token)))).map(({ status }) => status))
    assert.ok(billed.billed() > 0.5 && billed.billed() <= 1, `${billed.billed()} USD were billed`)
    assert.ok(statuses.includes(403), statuses.join())
    const refused = await ask(tokens[0]!)
    assert.match(refused.text, /limit/)
    const completed = statuses.filter((status) => status === 200).length
    const activity = () => service.manage('GET', `/activity?user_id=${userId}`)
    const [row] = await until(async () => {
      const { data } = (await activity()).body
      return data[0]?.requests === completed && data
    })
    assert.ok(Math.abs(row.usage - billed.billed()) < 1e-9, `${row.usage} counted, ${billed.billed()} billed`)
    const spent = await until(async () => {
      const { spenders } = (await service.manage('GET', guardrail)).body.data
      return spenders.find((one: any) => one.user_id === userId && Math.abs(one.spent_usd - billed.billed()) < 1e-9)
    })
    assert.ok(spent)
    // A key of the same member has spent nothing, but its member has. The keys of others have a separate limit.
    const own = (await service.manage('POST', '/keys', { name: 'own', creator_user_id: userId })).body.key
    assert.equal((await ask(own)).status, 403)
    assert.equal((await ask(service.apiKey)).status, 200)
  })
})
