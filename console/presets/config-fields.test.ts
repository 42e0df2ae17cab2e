import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesBetween, entriesOf, fields, merge, parseEntries, parseProblems } from './config-fields.ts'

const version = {
  system_prompt: 'Answer with\na haiku.',
  config: {
    model: 'a/one',
    models: ['a/two', 'a/three'],
    temperature: 0.2,
    logprobs: false,
    stop: ['END'],
    tool_choice: 'auto',
    provider: { sort: 'price' },
    future_field: [1],
  },
}

test('the entries of a version make the same version', () => {
  assert.deepEqual(parseEntries(entriesOf(version)), { version, problems: {} })
  const empty = { system_prompt: null, config: {} }
  assert.deepEqual(parseEntries(entriesOf({ ...empty, config: { text: null } })), { version: empty, problems: {} })
})

test('stop sequences with line breaks stay as they are', () => {
  for (const stop of [['\n'], ['a\nb', 'c'], ['[x'], []])
    assert.deepEqual(parseEntries(entriesOf({ system_prompt: null, config: { stop } })).version.config, { stop })
  assert.deepEqual(parseEntries(entriesOf({ system_prompt: null, config: { stop: '\n' } })).version.config, {
    stop: ['\n'],
  })
})

test('JSON that cannot be read is a problem of its field', () => {
  const { version, problems } = parseEntries({ provider: '{"sort"', temperature: 'warm', model: '  ' })
  assert.match(problems.provider!, /^Not valid JSON: /)
  assert.deepEqual(version.config, { temperature: 'warm' })
})

test('parseProblems assigns each part of an error message to its field', () => {
  const message =
    'Invalid request: settings.config.temperature: expected number, received string; settings.config.provider.sort: must be "price"; settings.config: unknown field "x"'
  assert.deepEqual(parseProblems(message), {
    problems: { temperature: 'expected number, received string', provider: 'sort: must be "price"' },
    rest: 'settings.config: unknown field "x"',
  })
  assert.deepEqual(parseProblems('Invalid request: settings.system_prompt: must not contain the NUL character'), {
    problems: { system_prompt: 'must not contain the NUL character' },
    rest: undefined,
  })
})

test('changesBetween lists the changed lines of each changed field', () => {
  const after = {
    system_prompt: 'Answer with\na sonnet.',
    config: { ...version.config, temperature: 1, stop: undefined },
  }
  assert.deepEqual(changesBetween(version, JSON.parse(JSON.stringify(after))), [
    { field: 'system_prompt', removed: ['a haiku.'], added: ['a sonnet.'] },
    { field: 'temperature', removed: ['0.2'], added: ['1'] },
    { field: 'stop', removed: ['END'], added: [] },
  ])
})

test('merge takes over the changes of others and keeps those of the draft', () => {
  const base = { model: 'a', temperature: '1', seed: '7' }
  assert.deepEqual(
    merge(base, { model: 'b', temperature: '1' }, { model: 'c', temperature: '2', seed: '7', stop: 'x' }),
    {
      model: 'b',
      temperature: '2',
      stop: 'x',
    },
  )
})

test('each field has its own name', () => {
  assert.equal(new Set(fields.map(({ name }) => name)).size, fields.length)
})
