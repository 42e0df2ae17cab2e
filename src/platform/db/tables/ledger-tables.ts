import type { Generated } from 'kysely'

/**
 * How the roll-ups count a row of the ledger. `no`: written before roll-ups existed; the backfill counts it. `withMargin`: its
 * cost and its `margin_pico`. `withoutMargin`: only its cost, by a version of the service whose roll-ups had no margin.
 */
export const rolledUp = { no: 0, withoutMargin: 1, withMargin: 2 } as const

/** The ledger of requests, and stored contents. Columns that end in `_pico` are in pico-dollars, 10⁻¹² USD. */
export type LedgerTables = {
  /** One row for each request. Fields that no search needs are in `record`. */
  generations: {
    id: string
    created_at: number
    organization_id: string
    workspace_id: string
    key_hash: string
    user_id: string
    session_id: string | null
    /** The provider's id of the completion. */
    upstream_id: string | null
    model: string
    cost_pico: bigint
    /** How much more the provider can have billed than an estimated cost. Limits count it, reports do not; 0 if the cost is known. */
    margin_pico: Generated<bigint>
    /** JSON of further fields. */
    record: string
    /** `success`, `failed`, `refused` or `client_left`. */
    outcome: Generated<string>
    /** The provider of the response, or of the last attempt. */
    provider: string | null
    /** The slug of the preset of the request. */
    preset: string | null
    /** The kind of failure, if the request was refused or failed. */
    error: string | null
    /** The ids of guardrails that refused it or found something, comma-separated. */
    guardrails: string | null
    /** 0 or 1. */
    streamed: Generated<number>
    /** The time to the first token; null without one. */
    latency_ms: number | null
    duration_ms: Generated<number>
    /** How the roll-ups count it: a value of `rolledUp`. */
    rolled_up: Generated<number>
  }
  /** The tags of each request. */
  request_tags: { generation_id: string; name: string; value: string; created_at: number }
  /** Reports of users about responses. */
  generation_feedback: {
    id: string
    generation_id: string
    user_id: string
    category: string
    comment: string | null
    created_at: number
  }
  /** Requests whose provider is asked for their cost later. */
  cost_lookups: { id: string; next_at: number; attempts: number }
  /** Prompts and responses, encrypted with the key that `sealed_by` names. */
  generation_contents: {
    id: string
    organization_id: string
    workspace_id: string
    key_hash: string
    user_id: string
    created_at: number
    sealed_by: string
    sealed: string
  }
  /**
   * Daily sums for each API key, updated with each row. Limits and reports read them. `day` is in whole days since the epoch, UTC.
   * These are not the roll-ups (`key_cells` and its siblings), which have more dimensions and follow some seconds later.
   */
  usage_days: {
    organization_id: string
    day: number
    workspace_id: string
    key_hash: string
    user_id: string
    model: string
    endpoint: string
    /** 0 or 1; part of the primary key. */
    byok: number
    requests: number
    prompt_tokens: number
    completion_tokens: number
    reasoning_tokens: number
    cost_pico: bigint
    /** Has a default, because it was added to the table later. */
    margin_pico: Generated<bigint>
  }
  /** The same sums by workspace, for reports over all keys. */
  workspace_days: {
    organization_id: string
    day: number
    workspace_id: string
    model: string
    endpoint: string
    /** 0 or 1; part of the primary key. */
    byok: number
    requests: number
    prompt_tokens: number
    completion_tokens: number
    reasoning_tokens: number
    cost_pico: bigint
    margin_pico: bigint
  }
  /** Requests of interns that are not in the ledger yet. */
  requests_under_way: {
    id: string
    key_hash: string
    began_at: number
  }
}
