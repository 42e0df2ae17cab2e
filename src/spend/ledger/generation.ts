import type { FinishReason } from '#chat/chunk.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { FaultKind } from '#platform/core/fault.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { SpanName } from '#platform/net/trace-parent.ts'

/** One endpoint that was asked, or was to be, and how that went. */
export type AttemptNote = {
  endpointId: string
  provider: string
  outcome: 'answered' | 'broke' | 'client_left' | 'circuit_open' | FaultKind
  durationMs: number
  /** Why, where the outcome does not say it all. */
  reason?: string
  /** Its span, where requests are traced. */
  spanId?: string
  /** From when it was asked: until there was a connection to it, a kept one or a new one; until the answer began. */
  connectMs?: number
  firstByteMs?: number
}

/** The ids of endpoints that could have answered and were not asked, by why. */
export type NotAsked = { readonly [reason: string]: readonly string[] }

/** What one of each was charged, in USD: a token of each kind that was used, the request, pieces by their names. */
export type ChargedPrices = { readonly [kind: string]: number }

/** What put the endpoints that could be asked into their order: a lot, the request's own list, or what it sorts by. */
export type OrderedBy = 'draw' | 'order' | 'price' | 'throughput' | 'latency'

/** The tokens of a streamed answer in equal stretches of time from its first piece on. */
export type PaceNote = { everyMs: number; tokens: number[] }

/** Why a request was refused or failed, in words of ours: nothing of what was asked or answered. */
export type Cause = {
  kind: FaultKind | 'internal'
  message?: string
  /** The guardrail and the rule that forbid it; without a guardrail, the key's own limit. */
  guardrailId?: string
  rule?: string
  /** Endpoints that were not asked, and why. */
  excluded?: { endpoint: string; reason: string }[]
}

/** One request as it is metered: each exactly once, whatever happened. */
export type Generation = {
  id: string
  requestId: string
  caller: Caller
  sessionId: string | undefined
  /** The program that asked, as it calls itself. */
  app?: { title: string | undefined; referer: string | undefined } | undefined
  /** The protocol the client speaks. */
  protocol: string
  streamed: boolean
  createdAt: number
  /** The model that the request named. */
  requestedModel: string
  /** The models that could have answered before guardrails decided, first choice first. */
  candidateModels: string[]
  /** The preset that filled the request in. */
  preset: { id: string; slug: string; version: number } | undefined
  /** The region the request came in through. */
  region: Region
  /** The provider that answered, or was about to when the client left; undefined when none did. */
  modelId: string | undefined
  endpointId: string | undefined
  provider: string | undefined
  upstreamId: string | undefined
  upstreamModel: string | undefined
  /** Whether the workspace's own provider key paid. */
  byok: boolean
  tokens: TokenCounts
  /** Units that were billed besides tokens. */
  extras?: Extras | undefined
  /** Units that were billed, or requested, but have no price in the catalogue. The cost does not contain them. */
  unpriced?: string[] | undefined
  /** Whether the tokens were estimated because the upstream did not count them to the end. */
  estimated: boolean
  /** Whether the upstream counted more than the request could use. Then the count is limited to what was possible. */
  capped: boolean
  cost: PicoUsd
  /** Undefined where nobody answered. */
  chargedPrices?: ChargedPrices | undefined
  /** The cost without the provider's cache, less the cost. Negative if writing to the cache cost more. */
  cacheSaving?: PicoUsd | undefined
  /**
   * The amount that limits are charged besides the cost: if nobody counted, the difference to the most that it may have
   * cost.
   */
  margin: PicoUsd
  finish: FinishReason | undefined
  nativeFinish: string | undefined
  toolCalls: number
  /** To the first token, in milliseconds; undefined without one. */
  latencyMs: number | undefined
  durationMs: number
  /** `refused`: no endpoint was asked. */
  outcome: 'success' | 'failed' | 'refused' | 'client_left'
  attempts: AttemptNote[]
  notAsked?: NotAsked | undefined
  /** Undefined where there were no two to be put in order. */
  orderedBy?: OrderedBy | undefined
  /** Undefined for an answer that came at once. */
  pace?: PaceNote | undefined
  /** Undefined when all went well, or the client left. */
  cause?: Cause | undefined
  /** The client's `traceparent`. */
  traceParent?: string | undefined
  /** Its own span, where requests are traced. */
  span?: SpanName | undefined
  /** Matches that content filters found and did not block, by rule and count: never the text. */
  contentFindings?: readonly { guardrailId: string; rule: string; action: 'redact' | 'flag'; count: number }[]
}
