import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'

const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '45.837906927s' }
const error = { error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED', details: [retryInfo] } }
const limited = {
  whole: { status: 429, type: 'application/json', body: JSON.stringify(error) },
  listed: { status: 429, type: 'application/json', body: JSON.stringify([error]) },
  streamed: { status: 200, type: 'text/event-stream', body: `data: ${JSON.stringify(error)}\n\n` },
}
type Form = keyof typeof limited

describe('the time that Gemini asks to wait', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      ({ path }) => limited[/\/models\/(\w+):/.exec(path)![1] as Form],
      Object.keys(limited),
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = (form: Form, path: string) => {
    const stream = form !== 'whole'
    const body = { model: `google-gemini/${form}`, max_tokens: 10, stream, messages: [{ role: 'user', content: 'Hi' }] }
    return recorded.service.ask('POST', path, { body })
  }

  for (const form of Object.keys(limited) as Form[])
    test(`${form}: becomes Retry-After, and the endpoint rests as long`, async () => {
      const { status, headers, text } = await ask(form, '/chat/completions')
      assert.deepEqual([status, headers.get('retry-after')], [429, '46'], text)
      const count = recorded.upstream.requests.length
      const second = await ask(form, '/messages')
      assert.equal(second.status, 503, second.text)
      assert.equal(recorded.upstream.requests.length, count, 'the endpoint is not called while it rests')
      assert.ok(Number(second.headers.get('retry-after')) > 30, `${second.headers.get('retry-after')}`)
    })
})
