import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scripted } from '../../../harness/interns/intern-chat.ts'
import { runningIntern, say, tryAnswer, trySay } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { until } from '../../../harness/until.ts'

async function restrict(service: TestService, policy: object) {
  const { body } = await service.manage('GET', '/workspaces')
  await service.manage('PATCH', `/guardrails/${body.data[0].default_guardrail_id}`, policy)
}

test('an intern thinks with the preset it names, by its own key', async () => {
  await using service = await startTestService()
  await service.manage('POST', '/presets/helper/responses', { model: 'signalbox/demo', instructions: 'Help.' })
  const { id } = await runningIntern(service, { model: '@preset/helper' })
  const turn = await say(service, id, 'demo:words=3')
  assert.deepEqual([turn.text, turn.finish], ['word1 word2 word3', 'stop'])
  const used = await until(async () => (await service.manage('GET', '/activity')).body.data[0])
  assert.equal(used.model, 'signalbox/demo')
})

test('a preset that is switched off ends the turn with words that say so', async () => {
  await using service = await startTestService()
  await service.manage('POST', '/presets/helper/responses', { model: 'signalbox/demo' })
  const { id } = await runningIntern(service, { model: '@preset/helper' })
  await service.manage('PATCH', '/presets/helper', { status: 'disabled' })
  const turn = await trySay(service, id, 'demo:words=3')
  assert.match(turn.error?.message ?? '', /Preset "helper" not found/)
})

test('guardrails apply to the model requests of an intern', async () => {
  await using service = await startTestService()
  const { id } = await runningIntern(service, { model: 'signalbox/demo' })
  await restrict(service, { name: 'House', ignored_models: ['signalbox/demo'] })
  const turn = await trySay(service, id, 'demo:words=3')
  assert.match(turn.error?.message ?? '', /Refused by the guardrail "House" \(ignored_models\)/)
})

test('an intern is not talked to through a region that is not allowed: 403', async () => {
  await using service = await startTestService({ settings: { regions: { 'eu.test': 'europe' } } })
  const { id } = await runningIntern(service)
  await restrict(service, { name: 'House', allowed_data_regions: ['europe'] })
  const refused = await trySay(service, id, 'hi')
  const metadata = { reason: 'bad_request', retryable: false }
  assert.deepEqual([refused.status, refused.error], [403, { code: 403, message: refused.error?.message, metadata }])
  assert.match(refused.error?.message ?? '', /Refused by the guardrail "House".*through the region "global"/)
})

test('content filters hold for prompts and for answers to questions, value by value', async () => {
  await using service = await startTestService({ settings: scripted })
  const { id } = await runningIntern(service, { agent: 'scripted' })
  await restrict(service, {
    name: 'House',
    content_filters: [
      { pattern: 'sesame', action: 'block' },
      { pattern: 'falcon-\\d+', action: 'redact', label: '[CODE]' },
    ],
  })
  const message = 'Refused by the guardrail "House" (content_filters[0])'
  const metadata = { reason: 'bad_request', retryable: false }
  const isBlocked = ({ status, error }: Awaited<ReturnType<typeof trySay>>) => {
    assert.deepEqual([status, error?.code, error?.metadata], [403, 403, metadata])
    assert.equal(error?.message.split(':')[0], message)
    assert.doesNotMatch(error?.message ?? '', /sesame/)
  }
  isBlocked(await trySay(service, id, 'say sesame'))
  const body = { stream: true, messages: [{ role: 'user', content: 'say sesame' }] }
  const { headers } = await service.ask('POST', `/interns/${id}/chat/completions`, { body })
  assert.equal(headers.get('x-should-retry'), 'false')
  const form = { type: 'object', properties: { word: { type: 'string' } } }
  const turn = await say(service, id, `ask ${JSON.stringify(form)}`)
  const accept = (word: string) => tryAnswer(service, id, turn, JSON.stringify({ action: 'accept', content: { word } }))
  isBlocked(await accept('open "sesame"'))
  // The question is still open.
  const { text } = await accept('by "falcon-7"\nand ä')
  assert.deepEqual(JSON.parse(text).content, { word: 'by "[CODE]"\nand ä' })
})

test('a model that the builtin agent cannot use is refused in create and update', async () => {
  await using service = await startTestService({ settings: scripted })
  const make = async (body: object) => (await service.ask('POST', '/interns', { body: { name: 'ada', ...body } })).body
  const { error } = await make({ model: 'demo' })
  assert.equal(error.code, 400)
  assert.match(error.message, /^Invalid request: model: Model "demo" not found\. Did you mean "signalbox\/demo"\?/)
  const { id } = await make({ model: '@preset/not-yet' })
  const change = (model: string) => service.ask('PATCH', `/interns/${id}`, { body: { model } })
  assert.deepEqual([(await change('nope/nope')).status, (await change('signalbox/demo:nitro')).status], [400, 200])
  assert.equal((await make({ name: 'other', agent: 'scripted', model: 'its-own/name' })).model, 'its-own/name')
})
