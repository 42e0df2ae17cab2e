import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#catalogue/index/model.ts'
import { requireModel, resolveModels } from './resolve-models.ts'

const modelOf = (id: string, outputModalities = ['text']) =>
  ({ id, endpoints: [], outputModalities }) as unknown as Model
const catalogueModels = new Map([
  ...['a/m', 'a/m:free', 'a/n'].map((id) => [id, modelOf(id)] as const),
  ['alias-of-m', modelOf('a/m')],
  ['a/vectors', modelOf('a/vectors', ['embeddings'])],
  ['a/media', modelOf('a/media', ['image', 'audio'])],
])
const catalogue = { findModel: (name: string) => catalogueModels.get(name) }
const resolved = (model: string | undefined, models?: string[]) =>
  resolveModels(catalogue, { ...(model && { model }), ...(models && { models }) }).map(({ model: { id }, sort }) => [
    id,
    sort,
  ])

test('the model precedes its fallbacks, each once', () =>
  assert.deepEqual(resolved('a/n', ['a/m', 'a/n']), [
    ['a/n', undefined],
    ['a/m', undefined],
  ]))

test('a model with two names in the list is tried once, with the sort of the first', () =>
  assert.deepEqual(resolved('a/m:floor', ['alias-of-m', 'a/m', 'a/n']), [
    ['a/m', 'price'],
    ['a/n', undefined],
  ]))

test(':nitro and :floor select a sort, :free a model, and they combine', () => {
  assert.deepEqual(resolved('a/m:nitro'), [['a/m', 'throughput']])
  assert.deepEqual(resolved('a/m:floor'), [['a/m', 'price']])
  assert.deepEqual(resolved('a/m:free'), [['a/m:free', undefined]])
  assert.deepEqual(resolved('a/m:free:nitro'), [['a/m:free', 'throughput']])
})

test('a model is found by a name with a routing suffix; a feature is not found', () => {
  assert.equal(requireModel(catalogue, 'a/m:nitro').id, 'a/m')
  assert.equal(requireModel(catalogue, 'alias-of-m:floor').id, 'a/m')
  const models = [modelOf('a/m')]
  assert.throws(() => requireModel({ ...catalogue, models }, 'a/m:online'), {
    kind: 'not_found',
    message: 'Model "a/m:online" not found. Did you mean "a/m"? GET /models lists them all.',
  })
})

test('a suffix such as constructor is unknown', () => {
  for (const suffix of ['constructor', 'toString', '__proto__']) {
    assert.throws(() => resolved(`a/m:${suffix}`), { kind: 'not_found' })
  }
})

test('a refusal of 100,000 unknown names lists ten of them', () => {
  const names = Array.from({ length: 100_000 }, (_, i) => `x/${i}`)
  const listed = names.slice(0, 10).map((name) => JSON.stringify(name))
  assert.throws(() => resolved(undefined, names), {
    message: `Model ${listed.join(', ')} or any of 99990 more not found. GET /models lists them all.`,
  })
})

test('unknown names are skipped if one name is known', () => {
  assert.deepEqual(resolved('x/y', ['a/m']), [['a/m', undefined]])
  for (const name of ['openrouter/auto', 'openrouter/fusion:nitro'])
    assert.throws(() => resolved(name), { kind: 'invalid', message: /router that chooses a model/ })
  assert.throws(() => resolved('openrouter/a/o'), { kind: 'not_found', message: /"openrouter\/a\/o" not found/ })
  assert.throws(() => resolved('x/y:nitro'), { kind: 'not_found', message: /"x\/y:nitro"/ })
})

test('a model without text output is refused, or skipped for another', () => {
  const refused = (names: string[], message: RegExp) =>
    assert.throws(() => resolved(undefined, names), { kind: 'invalid', message })
  refused(['a/vectors'], /"a\/vectors" cannot be used here: it generates embeddings, /)
  refused(['a/media:nitro'], /"a\/media" cannot be used here: it generates image and audio, /)
  refused(['a/vectors', 'x/y', 'a/media'], /"a\/vectors".+"a\/media"/)
  assert.deepEqual(resolved('a/vectors', ['a/m']), [['a/m', undefined]])
})

test('without any name the request is refused', () => assert.throws(() => resolved(undefined), { kind: 'invalid' }))

test('a long name is shortened in the message', () =>
  assert.throws(
    () => resolved('x'.repeat(1e5)),
    ({ message }: Error) => message.length < 250,
  ))

test('a task has its own models, and only those', () => {
  const task = (...models: string[]) =>
    resolveModels(catalogue, { models }, 'embeddings').map(({ model: { id } }) => id)
  assert.deepEqual(task('a/m', 'a/vectors', 'a/media'), ['a/vectors'])
  assert.throws(() => task('a/m'), {
    kind: 'invalid',
    message: /generates text, and this operation returns embeddings/,
  })
  assert.throws(() => task('x/y'), { kind: 'not_found', message: /GET \/embeddings\/models lists them all/ })
})
