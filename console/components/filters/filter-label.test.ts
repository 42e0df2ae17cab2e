import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Filter, filterText, findEnteredValue, removalLabel, titleOf } from './filter-label.ts'

type TextFilter = Extract<Filter, { kind: 'text' }>

const textOf = (filter: Filter, value?: string) => Object.values(filterText(filter, value)).join(' ').trim()

test('filterText reads as a phrase with and without a value', () => {
  const options = [{ value: '24h', label: '24 hours' }]
  const time: Filter = {
    kind: 'choice',
    name: 'last',
    label: 'last',
    unsetText: 'any time',
    omitsLabel: 'unset',
    options,
  }
  assert.deepEqual([textOf(time), textOf(time, '24h')], ['any time', 'last 24 hours'])
  const key: Filter = { kind: 'text', name: 'key', label: 'key', format: (hash) => (hash === '1f' ? 'ci-bot' : hash) }
  assert.deepEqual([textOf(key), textOf(key, '1f')], ['key any', 'key ci-bot'])
  const model: Filter = { kind: 'text', name: 'model', label: 'model', omitsLabel: 'always' }
  assert.equal(textOf(model, 'openai/gpt'), 'openai/gpt')
  const labels = [removalLabel(time, '24h'), removalLabel(key, '1f'), removalLabel(model, 'openai/gpt')]
  assert.deepEqual(labels, ['last 24 hours', 'key', 'openai/gpt'])
})

test('filterText and titleOf add the unit', () => {
  const cost: Filter = { kind: 'text', name: 'min_cost', label: 'costs at least', unit: 'USD' }
  assert.deepEqual([textOf(cost, '0.01'), titleOf(cost)], ['costs at least 0.01 USD', 'costs at least, USD'])
})

test('findEnteredValue ignores a text that is not a required suggestion', () => {
  const labels: Record<string, string> = { 'key.create': 'Key created', 'key.delete': 'Key deleted' }
  const choice: TextFilter = {
    kind: 'text',
    name: 'action',
    label: 'action',
    format: (value) => labels[value] ?? value,
  }
  const required: TextFilter = { ...choice, onlySuggestions: true }
  const all = Object.keys(labels)
  assert.equal(findEnteredValue(required, 'Key deleted', all), 'key.delete')
  assert.equal(findEnteredValue(required, 'key', all), 'key.create')
  assert.equal(findEnteredValue(required, 'nothing', []), undefined)
  assert.equal(findEnteredValue(required, '', all), undefined)
  assert.deepEqual([findEnteredValue(choice, 'other', []), findEnteredValue(choice, '', all)], ['other', ''])
})
