import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSnapshot } from '#catalogue/index/snapshot.ts'
import { loadCatalogue } from '#catalogue/sources/load.ts'
import { applyLitellmFields } from './client-forms/litellm-fields.ts'
import { withProviderSlugs } from './provider-names.ts'
import { resolveModels } from './resolve-models.ts'

const { data } = await loadCatalogue({ starter_catalogue: true, data_dir: '/nowhere' })
const catalogue = compileSnapshot(data)
const resolved = (model: string) => resolveModels(catalogue, { model }).map((one) => one.model.id)

test('provider names of OpenRouter become the slugs of the catalogue', () => {
  const names = ['together', 'fireworks', 'google-ai-studio', 'Google AI Studio', 'z-ai', 'OpenAI', 'together/FP8']
  const slugs = ['togetherai', 'fireworks-ai', 'google', 'google', 'zai', 'openai', 'togetherai/fp8']
  assert.deepEqual(withProviderSlugs(catalogue, { order: names, sort: 'price' }), { order: slugs, sort: 'price' })
})

test('an unknown provider is refused with the nearest name, in each list', () => {
  for (const list of ['order', 'only', 'ignore']) {
    assert.throws(() => withProviderSlugs(catalogue, { [list]: ['openai', 'togheter'] }), {
      message: `Invalid request: provider.${list}[1]: the catalogue does not have the provider "togheter". Did you mean "together"? GET /providers lists them all.`,
    })
  }
})

test('a name that ends in latest is the newest model with the other words in its name', () => {
  const newest = (pattern: RegExp) =>
    catalogue.models.filter(({ id }) => pattern.test(id)).toSorted((a, b) => b.created - a.created)[0]!.id
  assert.deepEqual(resolved('~anthropic/claude-sonnet-latest'), [newest(/^anthropic\/claude-sonnet-[\d.]+$/)])
  assert.deepEqual(resolved('~openai/gpt-mini-latest'), [newest(/^openai\/gpt-[\d.]+-mini$/)])
  assert.throws(() => resolved('~anthropic/claude-nothing-latest'), { kind: 'not_found' })
})

test('OpenRouter features in model names are refused, also in a list of models', () => {
  const existing = catalogue.models[0]!.id
  for (const name of ['openrouter/auto', 'a/b:online', 'a/b:exacto', 'a/b:extended', 'a/b:thinking'])
    assert.throws(() => resolveModels(catalogue, { models: [existing, name] }), {
      kind: 'invalid',
      message: /not supported/,
    })
})

test('fallbacks of LiteLLM follow the models; other LiteLLM fields are refused', () => {
  const body = { model: 'a', models: ['b'], fallbacks: ['c', { model: 'd' }], guardrails: [] }
  assert.deepEqual(applyLitellmFields(body), { model: 'a', models: ['b', 'c', 'd'] })
  for (const wrong of [
    { guardrails: ['pii'] },
    { guardrails: { pii: {} } },
    { fallbacks: 'c' },
    { fallbacks: [{ model: 'c', messages: [] }] },
    { metadata: { tags: ['a', 1] } },
    { metadata: { tags: ['a,b'] } },
  ])
    assert.throws(() => applyLitellmFields({ model: 'a', ...wrong }), { kind: 'invalid' })
})

test('a list of tags of LiteLLM becomes text, as metadata are text', () => {
  const tagged = (metadata: object) => applyLitellmFields({ model: 'a', metadata }).metadata
  assert.deepEqual(tagged({ tags: ['team-a', 'nightly'], run: '7' }), { tags: 'team-a,nightly', run: '7' })
  assert.deepEqual(tagged({ tags: [], run: '7' }), { run: '7' })
  assert.deepEqual(tagged({ tags: 'one' }), { tags: 'one' })
})
