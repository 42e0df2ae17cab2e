import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { regions } from '#platform/core/vocabulary.ts'
import { generation } from '#test/harness/records/generations.ts'
import { modelOf, toGenerationRecord, toStoredText } from './record.ts'

const name = fc.constantFrom('a/b', 'c/d', 'e/f')
const count = fc.constantFrom(0, 1, 70)
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined })
const generations = fc
  .record({
    requestedModel: name,
    candidateModels: fc.array(name, { maxLength: 2 }),
    preset: maybe(fc.constant({ id: 'p', slug: 's', version: 2 })),
    region: fc.constantFrom(...regions),
    modelId: maybe(name),
    endpointId: maybe(name),
    provider: maybe(name),
    sessionId: maybe(name),
    app: maybe(fc.record({ title: maybe(name), referer: maybe(name) })),
    upstreamId: maybe(name),
    upstreamModel: maybe(name),
    streamed: fc.boolean(),
    byok: fc.boolean(),
    estimated: fc.boolean(),
    capped: fc.boolean(),
    margin: fc.bigInt(0n, 10n ** 13n),
    tokens: fc.record(
      {
        prompt: count,
        completion: count,
        cached: count,
        cacheWritten: count,
        reasoning: count,
        parts: fc.record({ cacheWritten1h: count, audioPrompt: count, audioCompletion: count, imageCompletion: count }),
      },
      { requiredKeys: ['prompt', 'completion', 'cached', 'cacheWritten', 'reasoning'] },
    ),
    extras: maybe(fc.record({ pieces: fc.dictionary(name, count), serviceTier: name }, { requiredKeys: [] })),
    unpriced: maybe(fc.array(name, { maxLength: 2 })),
    cost: fc.bigInt(0n, 10n ** 13n),
    cacheSaving: maybe(fc.bigInt(-(10n ** 12n), 10n ** 13n)),
    finish: maybe(fc.constantFrom('stop' as const, 'length' as const)),
    nativeFinish: maybe(fc.constantFrom('stop', 'end_turn')),
    toolCalls: count,
    latencyMs: maybe(count),
    durationMs: count,
    outcome: fc.constantFrom('success' as const, 'failed' as const, 'client_left' as const),
    notAsked: maybe(fc.constant({ not_reached: ['a/b@x', 'other/m@y'], unconfigured: ['a/b@z'] })),
    orderedBy: maybe(fc.constantFrom('draw' as const, 'price' as const)),
    chargedPrices: maybe(fc.constant({ prompt: 1e-6, completion: 2e-6 })),
    pace: maybe(fc.record({ everyMs: fc.constantFrom(100, 200), tokens: fc.array(count, { maxLength: 3 }) })),
    contentFindings: maybe(
      fc.array(fc.constant({ guardrailId: 'g', rule: 'email', action: 'flag' as const, count: 1 }), { maxLength: 1 }),
    ),
  })
  .map(generation)

test('a record is read as it was metered', () => {
  fc.assert(
    fc.property(generations, (one) => {
      const { caller, tokens } = one
      const record = toGenerationRecord({
        id: one.id,
        created_at: one.createdAt,
        workspace_id: caller.workspaceId,
        user_id: caller.userId,
        key_hash: caller.keyHash,
        session_id: one.sessionId ?? null,
        upstream_id: one.upstreamId ?? null,
        model: modelOf(one),
        record: toStoredText(one),
      })
      const { throughput, total_cost, upstream_inference_cost, limit_cost, unconfirmed_usd, attempts, ...fields } =
        record
      assert.deepEqual(fields, {
        id: one.id,
        upstream_id: one.upstreamId ?? null,
        request_id: one.requestId,
        session_id: one.sessionId ?? null,
        tags: {},
        app_title: one.app?.title ?? null,
        http_referer: one.app?.referer ?? null,
        created_at: new Date(one.createdAt).toISOString(),
        workspace_id: caller.workspaceId,
        user_id: caller.userId,
        key_hash: caller.keyHash,
        requested_model: one.requestedModel,
        candidate_models: one.candidateModels,
        preset: one.preset ?? null,
        region: one.region,
        model: one.modelId ?? one.requestedModel,
        upstream_model: one.upstreamModel ?? null,
        provider_name: one.provider ?? null,
        endpoint_id: one.endpointId ?? null,
        protocol: one.protocol,
        streamed: one.streamed,
        is_byok: one.byok,
        outcome: one.outcome,
        cancelled: one.outcome === 'client_left',
        finish_reason: one.finish ?? null,
        native_finish_reason: one.nativeFinish ?? null,
        tool_calls: one.toolCalls,
        tokens_prompt: tokens.prompt,
        tokens_completion: tokens.completion,
        tokens_cached: tokens.cached,
        tokens_cache_written: tokens.cacheWritten,
        tokens_reasoning: tokens.reasoning,
        tokens_cache_written_1h: tokens.parts?.cacheWritten1h ?? 0,
        tokens_audio_prompt: tokens.parts?.audioPrompt ?? 0,
        tokens_audio_completion: tokens.parts?.audioCompletion ?? 0,
        tokens_image_completion: tokens.parts?.imageCompletion ?? 0,
        service_tier: one.extras?.serviceTier ?? null,
        ordered_by: one.orderedBy ?? null,
        charged_prices: one.chargedPrices ?? null,
        pace: one.pace ? { every: one.pace.everyMs, tokens: one.pace.tokens } : null,
        billed_pieces: { ...one.extras?.pieces },
        unpriced: one.unpriced ?? [],
        tokens_estimated: one.estimated,
        tokens_capped: one.capped,
        cache_discount: one.cacheSaving ? Number(one.cacheSaving) / 1e12 : null,
        latency: one.latencyMs ?? null,
        generation_time: one.durationMs,
        not_asked: one.notAsked
          ? [
              { endpoint_id: 'a/b@x', standing: 'behind', reason: 'not_reached' },
              { endpoint_id: 'other/m@y', standing: 'behind', reason: 'not_reached' },
              { endpoint_id: 'a/b@z', standing: 'left_out', reason: 'unconfigured' },
            ]
          : [],
        billed_more_than_bound: one.capped,
        correction: null,
        content_findings: (one.contentFindings ?? []).map(({ rule, action, count }) => ({
          guardrail_id: 'g',
          rule,
          action,
          count,
        })),
      })
      assert.equal(upstream_inference_cost, Number(one.cost) / 1e12)
      assert.equal(limit_cost, Number(one.cost + one.margin) / 1e12)
      assert.equal(unconfirmed_usd, Number(one.margin) / 1e12)
      assert.equal(total_cost, one.byok ? 0 : upstream_inference_cost)
      assert.equal(attempts.length, one.attempts.length)
      assert.equal(throughput !== null, one.streamed && one.latencyMs !== undefined && one.durationMs > one.latencyMs)
    }),
  )
})

test('each attempt has its connect time and time to first byte', () => {
  const attempt = { endpointId: 'a/b@p', provider: 'p', outcome: 'answered' as const, durationMs: 90 }
  const waits = [{ connectMs: 0, firstByteMs: 12 }, { connectMs: 5, firstByteMs: 12 }, { connectMs: 0 }, {}]
  const attempts = waits.map((waited) => ({ ...attempt, ...waited }))
  const text = toStoredText(generation({ attempts }))
  const row = {
    id: '',
    created_at: 0,
    workspace_id: '',
    user_id: '',
    key_hash: '',
    session_id: null,
    upstream_id: null,
  }
  const read = toGenerationRecord({ ...row, model: 'a/b', record: text }).attempts
  assert.deepEqual(
    read.map(({ connect, first_byte }) => [connect, first_byte]),
    [
      [0, 12],
      [5, 12],
      [0, null],
      [null, null],
    ],
  )
})
