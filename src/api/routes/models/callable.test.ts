import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf, startWithModels } from '#test/harness/records/model-catalogue.ts'

const endpoints = { north: { data_policy: { zdr: true } } }
const models = {
  'a/text': { endpoints },
  'a/text-and-image': { output_modalities: ['image', 'text'], endpoints },
  'b/voice': { output_modalities: ['audio'], endpoints },
  'b/picture': { output_modalities: ['image'], endpoints },
  'b/vector': { output_modalities: ['embeddings'], endpoints },
}
const callable = ['a/text', 'a/text-and-image', 'b/vector']
const ofText = ['a/text', 'a/text-and-image']

test('a model that no operation supports is marked in lists and by itself', async () => {
  await using service = await startWithModels(models)
  const { body } = await service.ask('GET', '/models?output_modalities=all')
  for (const { id, ...item } of body.data) {
    const marks = [item, (await service.ask('GET', `/model/${id}`)).body.data]
    marks.push((await service.ask('GET', `/models/${id}/endpoints`)).body.data)
    for (const marked of marks) assert.equal(marked.callable, callable.includes(id) ? undefined : false, id)
  }
})

test('models that cannot be called are missing from the lists of usable models', async () => {
  await using service = await startWithModels(models)
  assert.deepEqual(await idsOf(service, '/models/user?output_modalities=all'), callable)
  assert.deepEqual(await idsOf(service, '/models/user?output_modalities=audio,embeddings'), ['b/vector'])
  assert.deepEqual(await idsOf(service, '/models/user'), ofText)
  const { body } = await service.ask('GET', '/endpoints/zdr')
  const ids = body.data.map((endpoint: { model_id: string }) => endpoint.model_id)
  assert.deepEqual(ids.filter((id: string) => id in models).sort(), callable)
})

const request: Record<string, object> = {
  '/chat/completions': { messages: [{ role: 'user', content: 'Hi' }] },
  '/responses': { input: 'Hi' },
  '/messages': { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
  '/messages/count_tokens': { messages: [{ role: 'user', content: 'Hi' }] },
}

test('a model without text is refused in every protocol of chats, without a request', async () => {
  await using service = await startWithModels(models)
  for (const [path, body] of Object.entries(request)) {
    for (const [model, makes] of [
      ['b/voice', 'audio'],
      ['b/picture', 'image'],
      ['b/vector', 'embeddings'],
    ] as const) {
      const response = await service.ask('POST', path, { body: { model, ...body } })
      assert.equal(response.status, 400, response.text)
      assert.match(
        response.body.error.message,
        new RegExp(`"${model}" cannot be used here: it generates ${makes}, and`),
      )
    }
  }
})
