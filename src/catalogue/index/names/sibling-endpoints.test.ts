import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { Model } from '../model.ts'
import { findSibling, linkSiblingEndpoints } from './sibling-endpoints.ts'

const names = ['opus-4-20260901', 'opus-4-20260205', 'sonnet@20260101', 'haiku']
const endpoints = names.map((name) => endpointFor(name))
const foreign = endpointFor('opus-4-20260101', { provider: 'other' })
linkSiblingEndpoints([...endpoints, foreign].map((endpoint) => ({ endpoints: [endpoint] }) as unknown as Model))

const found = (name: string) => findSibling(endpoints[3]!, name)?.upstreamModel

test('an endpoint with exactly the requested date is found before others of the model', () => {
  assert.deepEqual(names.map(found), names)
})

test('the newest model is found by a name without a date, or with an unknown date', () => {
  for (const name of ['opus-4', 'opus-4-20260101']) assert.equal(found(name), 'opus-4-20260901')
  assert.deepEqual([found('sonnet'), found('haiku-20260101')], ['sonnet@20260101', 'haiku'])
})

test('other models, other providers and endpoints without a snapshot have no sibling', () => {
  assert.deepEqual([found('opus'), found(''), findSibling(foreign, 'haiku')], [undefined, undefined, undefined])
  assert.equal(findSibling(endpointFor('haiku'), 'haiku'), undefined)
})
