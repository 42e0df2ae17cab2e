import type { FinishReason } from '#chat/chunk.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { FaultKind } from '#platform/core/fault.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { SpanContext } from '#platform/net/trace-parent.ts'

/** The error that a provider returned: its message without credentials, at most 2 kB. */
export type ProviderError = { status?: number | undefined; code?: string | undefined; message?: string | undefined }

/** One attempt at an endpoint, and its outcome. */
export type AttemptNote = {
  endpointId: string
  provider: string
  outcome: 'answered' | 'broke' | 'client_left' | 'circuit_open' | FaultKind
  durationMs: number
  /** Details of the outcome. */
  reason?: string
  /** The amount in USD that limits are charged for the attempt although the provider reported no cost. */
  unconfirmedUsd?: number
  /** Undefined if the provider returned no error, such as after a broken connection. */
  error?: ProviderError
  /** Its trace span, if tracing is on. */
  spanId?: string
  /** The milliseconds until the connection and until the first byte of the response. */
  connectMs?: number
  firstByteMs?: number
}

/** The ids of candidate endpoints that were skipped, by reason. */
export type SkippedEndpoints = { readonly [reason: string]: readonly string[] }

/** The charged unit prices in USD, by kind of token, for the request, and by name of a billed unit. */
export type ChargedPrices = { readonly [kind: string]: number }

/** The rule that ordered the endpoints: the random draw, the list of the request, or a sort. */
export type OrderedBy = 'draw' | 'order' | 'price' | 'throughput' | 'latency'

/** The tokens of a streamed response in intervals of equal length since its first content. */
export type PaceNote = { everyMs: number; tokens: number[] }

/** The reason for a refusal or failure, without content of the request or response. */
export type Cause = {
  kind: FaultKind | 'internal'
  message?: string
  /** `context_length_exceeded`, for a prompt that is too long. */
  reason?: string
  /** The guardrail and the rule that refused the request. Without a guardrail, the rule is the limit of a key or a budget. */
  guardrailId?: string
  rule?: string
  /** The excluded endpoints with reasons. */
  excluded?: { endpoint: string; reason: string; parameters?: string[]; circuit?: string; until?: string }[]
}

/** A name and its value. Several tags of a request can have one name. */
export type RequestTag = readonly [name: string, value: string]

/**
 * The record of one request. Each request is metered exactly once. Spill files contain the names of its fields, so a renamed field
 * needs a translation in `spill.ts` (test/frozen/spill-file.jsonl).
 */
export type Generation = {
  id: string
  requestId: string
  caller: Caller
  sessionId: string | undefined
  /** The tags by which costs are summed. */
  tags?: readonly RequestTag[] | undefined
  /** The client program, as it identifies itself. */
  app?: { title: string | undefined; referer: string | undefined } | undefined
  /** The client's protocol. */
  protocol: string
  streamed: boolean
  createdAt: number
  /** The model that the request named. */
  requestedModel: string
  /** The candidate models before guardrails were applied, in order of preference. */
  candidateModels: string[]
  /** The preset that was applied. */
  preset: { id: string; slug: string; version: number } | undefined
  /** The region of the request. */
  region: Region
  /** The provider that answered, or was answering when the client disconnected; undefined if none did. */
  modelId: string | undefined
  endpointId: string | undefined
  provider: string | undefined
  upstreamId: string | undefined
  upstreamModel: string | undefined
  /** Whether a BYOK key was used. */
  byok: boolean
  tokens: TokenCounts
  /** Billed units other than tokens. */
  extras?: Extras | undefined
  /** Units that were billed, or requested, but have no price in the catalogue. The cost does not contain them. */
  unpriced?: string[] | undefined
  /** Whether the tokens were estimated because the upstream did not count them to the end. */
  estimated: boolean
  /** Whether the upstream counted more than the request could use. Then the count is limited to what was possible. */
  capped: boolean
  cost: PicoUsd
  /** Undefined without a response. */
  chargedPrices?: ChargedPrices | undefined
  /** The amount that the provider's cache saved. Negative if writing to the cache cost more. */
  cacheSaving?: PicoUsd | undefined
  /** The amount that limits are charged in addition to the cost: the uncertainty of an estimated cost. */
  margin: PicoUsd
  /** The accounts of the charged budgets, if there is a margin, which a correction can release. */
  chargedBudgets?: readonly string[] | undefined
  /** Whether the provider can be asked for the cost later. */
  hasCostLookup?: boolean | undefined
  finish: FinishReason | undefined
  nativeFinish: string | undefined
  toolCalls: number
  /** Milliseconds to the first token; undefined without tokens. */
  latencyMs: number | undefined
  durationMs: number
  /** `refused`: no endpoint was tried. */
  outcome: 'success' | 'failed' | 'refused' | 'client_left'
  attempts: AttemptNote[]
  notAsked?: SkippedEndpoints | undefined
  /** Undefined with fewer than two endpoints. */
  orderedBy?: OrderedBy | undefined
  /** Undefined for a response that arrived at once. */
  pace?: PaceNote | undefined
  /** Undefined after a success or a disconnect of the client. */
  cause?: Cause | undefined
  /** The client's `traceparent`. */
  traceParent?: string | undefined
  /** The trace span of the request, if tracing is on. */
  span?: SpanContext | undefined
  /** Matches that content filters found and did not block, by rule and count: never the text. */
  contentFindings?: readonly { guardrailId: string; rule: string; action: 'redact' | 'flag'; count: number }[]
}
