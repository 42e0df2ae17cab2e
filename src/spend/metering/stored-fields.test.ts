import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import type { Generation } from '../ledger/generation.ts'
import { writeGenerations } from './write.ts'

/** A value for each field that differs from the one of `generation()`. A field that is missing here does not compile. */
const others: Omit<Required<Generation>, 'id'> = {
  requestId: 'other',
  caller: { ...caller, workspaceId: 'other' },
  sessionId: 'session',
  app: { title: 'App', referer: undefined },
  protocol: 'anthropic-messages',
  streamed: false,
  createdAt: at + 1,
  requestedModel: 'other/model',
  candidateModels: ['a/b', 'a/c'],
  preset: { id: 'p', slug: 'p', version: 1 },
  region: 'europe',
  modelId: 'a/c',
  endpointId: 'a/b@other',
  provider: 'other',
  upstreamId: 'other',
  upstreamModel: 'other',
  byok: true,
  tokens: { prompt: 11, completion: 5, cached: 0, cacheWritten: 0, reasoning: 1 },
  extras: { pieces: { image: 1 } },
  unpriced: ['image'],
  estimated: true,
  capped: true,
  cost: 1n,
  chargedPrices: { prompt: 1 },
  cacheSaving: 1n,
  margin: 1n,
  chargedBudgets: ['b'],
  hasCostLookup: true,
  finish: 'length',
  nativeFinish: 'other',
  toolCalls: 1,
  latencyMs: 21,
  durationMs: 121,
  outcome: 'failed',
  attempts: [],
  notAsked: { not_reached: ['a/b@x'] },
  orderedBy: 'price',
  pace: { everyMs: 10, tokens: [1] },
  cause: { kind: 'internal' },
  traceParent: '00-1',
  span: { traceId: '1', spanId: '2', flags: '01' },
  tags: [['team', 'a']],
  contentFindings: [{ guardrailId: 'g', rule: 'r', action: 'flag', count: 1 }],
}

/** Fields for other tables and for traces. */
const notInRow = ['hasCostLookup', 'traceParent', 'span']

test('each field of a request is stored in its row', async () => {
  await using store = await newDb('sqlite')
  const changed = Object.entries(others).map(([field, value]) => generation({ id: field, [field]: value }))
  await writeGenerations(store, [generation({ id: 'same' }), ...changed])
  const rows = await store.db.query.selectFrom('generations').selectAll().execute()
  const textOf = (id: string) => JSON.stringify({ ...rows.find((row) => row.id === id), id: '' }, bigintAsText)
  const lost = Object.keys(others).filter((field) => textOf(field) === textOf('same'))
  assert.deepEqual(lost, notInRow)
})

const bigintAsText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
