import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

describe('POST /guardrails/{id}/try', () => {
  let service: TestService
  let id: string
  before(async () => {
    service = await startTestService()
    const policy = {
      name: 'Texts',
      content_filter_builtins: [{ slug: 'email', action: 'redact' }],
      content_filters: [{ pattern: '(?i)project blue', action: 'block' }],
    }
    id = (await service.manage('POST', '/guardrails', policy)).body.data.id
  })
  after(() => service[Symbol.asyncDispose]())
  const ask = (body: object, guardrail = id) => service.manage('POST', `/guardrails/${guardrail}/try`, body)
  const tried = async (text: string, policy?: object) => {
    const { status, body, text: response } = await ask({ text, ...(policy && { policy }) })
    assert.equal(status, 200, response)
    return body.data
  }

  test('returns all findings with rule and action, also with a blocking one', async () => {
    const text = 'Ada (ada@example.com) asks: what is Project Blue?'
    const { outcome, rule, text_sent, found } = await tried(text)
    assert.deepEqual([outcome, rule, text_sent], ['blocked', 'content_filters[0]', null])
    assert.deepEqual(
      found.map((one: any) => [one.rule, one.action, text.slice(one.start, one.end)]),
      [
        ['content_filter_builtins.email', 'redact', 'ada@example.com'],
        ['content_filters[0]', 'block', 'Project Blue'],
      ],
    )
  })

  test('returns the request that would be sent', async () => {
    const mail = await tried('to ada@example.com')
    assert.deepEqual([mail.outcome, mail.text_sent], ['redacted', 'to [EMAIL]'])
    const plain = await tried('Hello')
    assert.deepEqual([plain.outcome, plain.text_sent, plain.found], ['passed', 'Hello', []])
  })

  test('tests a change without storing it or the text', async () => {
    const policy = { content_filters: [{ pattern: 'b+', action: 'flag' }], content_filter_builtins: null }
    const { outcome, found } = await tried('abb b', policy)
    assert.deepEqual(
      [outcome, found.map(({ start, end }: any) => [start, end])],
      [
        'passed',
        [
          [1, 3],
          [4, 5],
        ],
      ],
    )
    const stored = (await service.manage('GET', `/guardrails/${id}`)).body.data
    assert.equal(stored.content_filters[0].pattern, '(?i)project blue')
    assert.equal((await service.manage('GET', `/audit?target_id=${id}`)).body.total_count, 1)
  })

  test('the default of a workspace can be tested before it exists', async () => {
    const fallback = (await service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id
    const policy = { content_filter_builtins: [{ slug: 'email', action: 'block' }] }
    assert.equal((await ask({ text: 'a@b.example', policy }, fallback)).body.data.outcome, 'blocked')
    assert.equal((await ask({ text: 'a@b.example' }, fallback)).status, 404)
  })

  test('refuses invalid patterns, empty or long texts, and keys without permission', async () => {
    const refused = async (body: object) => {
      const { status, body: response } = await ask(body)
      return `${status} ${response.error.message}`
    }
    const pattern = { content_filters: [{ pattern: 'x(?=y)', action: 'flag' }] }
    assert.match(await refused({ text: 'x', policy: pattern }), /^400 .*content_filters\[0\].pattern: look-around/)
    assert.match(await refused({}), /^400 .*text/)
    assert.match(await refused({ text: '' }), /^400 .*text: must not be empty/)
    assert.match(await refused({ text: 'x'.repeat(100_001) }), /^400 .*text: must have at most 100000 characters/)
    assert.equal((await service.ask('POST', `/guardrails/${id}/try`, { body: { text: 'x' } })).status, 401)
  })
})
