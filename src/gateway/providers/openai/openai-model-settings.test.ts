import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openaiEffortRepair } from './openai-efforts.ts'
import { isReasoningModelId, reasoningModelRepair, verbosityRepair } from './openai-model-settings.ts'

const repair = reasoningModelRepair(({ reasoning_effort: effort }) => effort)
const settings = { temperature: 0.7, top_p: 1, presence_penalty: 0.5, logit_bias: null }
const remaining = (model: string, more: object = {}) => {
  const dropped: string[] = []
  const body = repair({ model, ...settings, ...more }, dropped)
  return [Object.keys(settings).filter((name) => name in body), dropped]
}

test('a reasoning model gets no sampling settings; those with an effect are named', () => {
  for (const model of ['o3', 'o4-mini', 'gpt-5', 'gpt-5-mini', 'gpt-5.2-codex'])
    assert.deepEqual(remaining(model), [[], ['presence_penalty', 'temperature']], model)
})

test('a model that reasons only on request accepts sampling settings otherwise', () => {
  assert.deepEqual(remaining('gpt-5.2'), [['temperature', 'top_p'], ['presence_penalty']])
  assert.deepEqual(remaining('gpt-5.2', { reasoning_effort: 'none' }), [['temperature', 'top_p'], ['presence_penalty']])
  assert.deepEqual(remaining('gpt-5.2', { reasoning_effort: 'low' }), [[], ['presence_penalty', 'temperature']])
})

test('later models for ChatGPT reason, with a medium effort and verbosity only', () => {
  const withEffort = openaiEffortRepair(
    ({ effort }) => effort,
    (body, effort) => ({ ...body, effort }),
    'reasoning_effort',
  )
  const withVerbosity = verbosityRepair(
    ({ verbosity }) => verbosity,
    () => ({}),
  )
  for (const model of ['gpt-5.1-chat-latest', 'gpt-5.2-chat', 'gpt-5.3-chat-latest']) {
    assert.ok(isReasoningModelId(model), model)
    assert.deepEqual(remaining(model), [[], ['presence_penalty', 'temperature']], model)
    for (const effort of ['none', 'low', 'high'])
      assert.equal(withEffort({ model, effort }, []).effort, 'medium', model)
    assert.deepEqual(withVerbosity({ model, verbosity: 'low' }, []), {})
  }
  const dropped: string[] = []
  assert.equal(withEffort({ model: 'gpt-5-chat-latest', effort: 'low' }, dropped).effort, undefined)
  assert.deepEqual([isReasoningModelId('gpt-5-chat-latest'), dropped], [false, ['reasoning_effort']])
})

test('other models get all settings', () => {
  for (const model of ['gpt-4.1', 'gpt-5-chat-latest', 'llama-3', 'olmo-2'])
    assert.equal((remaining(model)[0] as string[]).length, 4, model)
})
