import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import type { Generation } from '../ledger/generation.ts'
import { type RecordRow, throughputOf, toGenerationRecord } from '../ledger/record.ts'
import type { Dimensions } from './dimensions.ts'

/** The values of one request for roll-ups, read from a `Generation` or from its ledger row. */
export type RequestFacts = {
  /** The start, in milliseconds since the epoch. */
  at: number
  dimensions: Dimensions
  /** The usage of an answered request; 0 for other requests. */
  tokens: { prompt: number; completion: number; reasoning: number; cached: number; cacheWritten: number }
  toolCalls: number
  cost: PicoUsd
  /** The amount that limits are charged in addition to the cost. */
  margin: PicoUsd
  cacheSaving: PicoUsd
  latencyMs: number | null
  durationMs: number
  /** Tokens per second, measured after the first token. */
  throughput: number | null
}

const zeroTokens: RequestFacts['tokens'] = { prompt: 0, completion: 0, reasoning: 0, cached: 0, cacheWritten: 0 }

export function toRequestFacts(generation: Generation): RequestFacts {
  const { caller, tokens, endpointId, modelId, candidateModels } = generation
  const hasResponse = endpointId !== undefined
  return {
    at: generation.createdAt,
    dimensions: {
      organization_id: caller.organizationId,
      workspace_id: caller.workspaceId,
      key_hash: caller.keyHash,
      user_id: caller.userId,
      // Only models of the catalogue are counted by name. Otherwise clients could fill the table with arbitrary names.
      model: (hasResponse ? modelId : candidateModels[0]) ?? '',
      endpoint: endpointId ?? '',
      provider: generation.provider ?? '',
      preset: generation.preset?.slug ?? '',
      outcome: generation.outcome,
      error: generation.cause?.kind ?? '',
      byok: String(generation.byok),
    },
    tokens: hasResponse ? tokens : zeroTokens,
    toolCalls: hasResponse ? generation.toolCalls : 0,
    cost: generation.cost,
    margin: generation.margin,
    cacheSaving: generation.cacheSaving ?? 0n,
    latencyMs: generation.latencyMs ?? null,
    durationMs: generation.durationMs,
    throughput: throughputOf(generation),
  }
}

/** The ledger columns that are read in addition to the record. */
export type FactsRow = RecordRow & {
  organization_id: string
  /** The exact amounts as text. */
  cost: string
  margin: string
}

export function readRequestFacts({ organization_id, cost, margin, ...row }: FactsRow): RequestFacts {
  const record = toGenerationRecord(row)
  const hasResponse = record.endpoint_id !== null
  const tokens = {
    prompt: record.tokens_prompt,
    completion: record.tokens_completion,
    reasoning: record.tokens_reasoning,
    cached: record.tokens_cached,
    cacheWritten: record.tokens_cache_written,
  }
  return {
    at: row.created_at,
    dimensions: {
      organization_id,
      workspace_id: row.workspace_id,
      key_hash: row.key_hash,
      user_id: row.user_id,
      model: (hasResponse ? row.model : record.candidate_models[0]) ?? '',
      endpoint: record.endpoint_id ?? '',
      provider: record.provider_name ?? '',
      preset: record.preset?.slug ?? '',
      outcome: record.outcome,
      error: record.error?.kind ?? '',
      byok: String(record.is_byok),
    },
    tokens: hasResponse ? tokens : zeroTokens,
    toolCalls: hasResponse ? record.tool_calls : 0,
    cost: BigInt(cost),
    margin: BigInt(margin),
    cacheSaving: toPicoUsd(record.cache_discount ?? 0),
    latencyMs: record.latency,
    durationMs: record.generation_time,
    throughput: record.throughput,
  }
}
