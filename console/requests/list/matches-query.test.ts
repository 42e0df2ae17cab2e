import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleGeneration } from '#test/harness/records/sample-generation.ts'
import { matchesQuery } from './matches-query.ts'

test('matchesQuery applies each filter as the log does', () => {
  const generation = sampleGeneration({
    total_cost: 0.02,
    session_id: 's',
    error: { kind: 'forbidden', guardrail_id: 'g' },
  })
  const filters = {
    model: 'anthropic/claude',
    api_key_hash: 'hash-of-key',
    session_id: 's',
    guardrail_id: 'g',
    streamed: 'true' as const,
  }
  for (const query of [
    {},
    filters,
    { outcome: 'success,failed' },
    { min_cost: 0.01, max_cost: 0.03 },
    { max_latency: 40 },
  ]) {
    assert.ok(matchesQuery(generation, query), JSON.stringify(query))
  }
  const wrong = [
    { model: 'other' },
    { provider: 'openai' },
    { api_key_hash: 'other' },
    { user_id: 'other' },
    { workspace_id: 'other' },
    { session_id: 'other' },
    { preset: 'other' },
    { error: 'invalid' },
    { outcome: 'failed' },
    { guardrail_id: 'other' },
    { streamed: 'false' as const },
    { min_cost: 0.03 },
    { max_cost: 0.01 },
    { min_latency: 41 },
    { min_generation_time: 101 },
    { to: generation.created_at },
    { from: '2027-01-01T00:00:00.000Z' },
  ]
  for (const query of wrong) assert.equal(matchesQuery(generation, query), false, JSON.stringify(query))
})
