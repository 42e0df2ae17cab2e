import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chipWords, type Filter, titleOf, withoutWhat } from './filter-label.ts'

const said = (filter: Filter, value?: string) => Object.values(chipWords(filter, value)).join(' ').trim()

test('a chip reads as a phrase, whether something is chosen or not', () => {
  const options = [{ value: '24h', label: '24 hours' }]
  const time: Filter = { kind: 'choice', name: 'last', label: 'last', any: 'any time', bare: 'any', options }
  assert.deepEqual([said(time), said(time, '24h')], ['any time', 'last 24 hours'])
  const key: Filter = { kind: 'text', name: 'key', label: 'key', shown: (hash) => (hash === '1f' ? 'ci-bot' : hash) }
  assert.deepEqual([said(key), said(key, '1f')], ['key any', 'key ci-bot'])
  const model: Filter = { kind: 'text', name: 'model', label: 'model', bare: 'always' }
  assert.equal(said(model, 'openai/gpt'), 'openai/gpt')
  const taken = [withoutWhat(time, '24h'), withoutWhat(key, '1f'), withoutWhat(model, 'openai/gpt')]
  assert.deepEqual(taken, ['last 24 hours', 'key', 'openai/gpt'])
})

test('the unit stands behind the figure, and where the figure is asked for', () => {
  const cost: Filter = { kind: 'text', name: 'min_cost', label: 'costs at least', unit: 'USD' }
  assert.deepEqual([said(cost, '0.01'), titleOf(cost)], ['costs at least 0.01 USD', 'costs at least, USD'])
})
