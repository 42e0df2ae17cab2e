import { isoTime } from '#lib/clock.ts'
import { toUsd } from '#lib/pico-usd.ts'
import type { Generation } from './generation.ts'

/** A metered request as `GET /generation` tells it. Money in USD, times in milliseconds. */
export type GenerationRecord = ReturnType<typeof toRecord>

export function toRecord(generation: Generation) {
  const { tokens, caller } = generation
  const cost = toUsd(generation.cost)
  return {
    id: generation.id,
    upstream_id: generation.upstreamId ?? null,
    request_id: generation.requestId,
    session_id: generation.sessionId ?? null,
    created_at: isoTime(generation.createdAt),
    workspace_id: caller.workspaceId,
    user_id: caller.userId,
    key_hash: caller.keyHash,
    requested_model: generation.requestedModel,
    candidate_models: generation.candidateModels,
    preset: generation.preset ?? null,
    region: generation.region,
    model: generation.modelId ?? generation.requestedModel,
    upstream_model: generation.upstreamModel ?? null,
    provider_name: generation.provider ?? null,
    endpoint_id: generation.endpointId ?? null,
    protocol: generation.protocol,
    streamed: generation.streamed,
    is_byok: generation.byok,
    outcome: generation.outcome,
    cancelled: generation.outcome === 'client_left',
    finish_reason: generation.finish ?? null,
    native_finish_reason: generation.nativeFinish ?? null,
    tool_calls: generation.toolCalls,
    tokens_prompt: tokens.prompt,
    tokens_completion: tokens.completion,
    tokens_cached: tokens.cached,
    tokens_cache_written: tokens.cacheWritten,
    tokens_reasoning: tokens.reasoning,
    tokens_estimated: generation.estimated,
    /** What was charged here; a workspace's own provider key is charged by the provider. */
    total_cost: generation.byok ? 0 : cost,
    upstream_inference_cost: cost,
    latency: generation.latencyMs ?? null,
    generation_time: generation.durationMs,
    throughput: throughputOf(generation),
    content_findings: (generation.contentFindings ?? []).map(({ guardrailId, ...finding }) => ({
      guardrail_id: guardrailId,
      ...finding,
    })),
    attempts: generation.attempts.map((attempt) => ({
      endpoint_id: attempt.endpointId,
      provider_name: attempt.provider,
      outcome: attempt.outcome,
      duration: attempt.durationMs,
    })),
  }
}

type Younger = 'candidate_models' | 'preset' | 'region' | 'content_findings'

/** A record as it was kept. One from before a member existed gets what it would have said. */
export function readRecord(text: string): GenerationRecord {
  const kept = JSON.parse(text) as Omit<GenerationRecord, Younger> & Partial<GenerationRecord>
  return { candidate_models: [kept.model], preset: null, region: 'global' as const, content_findings: [], ...kept }
}

/** Tokens per second after the first; null where there is too little to say. */
function throughputOf({ streamed, tokens, latencyMs, durationMs }: Generation): number | null {
  if (!streamed || latencyMs === undefined || durationMs <= latencyMs) return null
  return Math.round((tokens.completion / (durationMs - latencyMs)) * 1e6) / 1e3
}
