import { isoTime } from '#platform/core/clock.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { chargedAttempts, chargeFields, type StoredCorrection } from './charge-fields.ts'
import type { AttemptNote, Cause, ChargedPrices, Generation, OrderedBy, PaceNote } from './generation.ts'
import { shortenEndpoints, skippedItems } from './skipped-endpoints.ts'

/** A metered request in the form of `GET /generation`. Money in USD, times in milliseconds. */
export type GenerationRecord = ReturnType<typeof toGenerationRecord>

/** The columns of a row that are not in its `record` text, and the text. */
export const recordColumns = [
  'id',
  'created_at',
  'workspace_id',
  'user_id',
  'key_hash',
  'session_id',
  'upstream_id',
  'model',
  'record',
] as const

export type RecordRow = {
  id: string
  created_at: number
  workspace_id: string
  user_id: string
  key_hash: string
  session_id: string | null
  upstream_id: string | null
  model: string
  record: string
}

/** Default values, which stored records omit. They also apply to fields that older records lack. */
const defaultFacts = {
  preset: null,
  region: 'global',
  upstream_model: null,
  provider_name: null,
  endpoint_id: null,
  streamed: false,
  is_byok: false,
  finish_reason: null,
  tool_calls: 0,
  cache_discount: null,
  tokens_cached: 0,
  tokens_cache_written: 0,
  tokens_reasoning: 0,
  tokens_estimated: false,
  tokens_capped: false,
  tokens_cache_written_1h: 0,
  tokens_audio_prompt: 0,
  tokens_audio_completion: 0,
  tokens_image_completion: 0,
  service_tier: null,
  billed_pieces: {},
  unpriced: [],
  latency: null,
  throughput: null,
  content_findings: [],
  not_asked: {},
  ordered_by: null as OrderedBy | null,
  charged_prices: null as ChargedPrices | null,
  pace: null as ReturnType<typeof toStoredPace> | null,
  tags: {} as Record<string, string>,
  app_title: null,
  http_referer: null,
  correction: null as StoredCorrection | null,
}

/** The content of a record. Its text omits default values. */
export type StoredFacts = { [Name in keyof Facts]?: Facts[Name] | undefined }

type Facts = { [Name in keyof ReturnType<typeof toFacts>]: Exclude<ReturnType<typeof toFacts>[Name], undefined> }

/** The compact text of a record, because a row is written for every request. */
export function toStoredText(generation: Generation): string {
  return JSON.stringify(toFacts(generation))
}

/** Returns undefined for the default value, so that JSON omits it. */
const omitDefault = <Value>(defaultValue: unknown, value: Value) => (value === defaultValue ? undefined : value)

/** One literal without spreads, so that all records have one hidden class, which is three times as fast. */
function toFacts(generation: Generation) {
  const { tokens, contentFindings, candidateModels, requestedModel, finish, nativeFinish, cause, extras } = generation
  const { parts } = tokens
  const model = modelOf(generation)
  return {
    request_id: generation.requestId,
    requested_model: omitDefault(model, requestedModel),
    candidate_models: candidateModels.length === 1 && candidateModels[0] === model ? undefined : candidateModels,
    preset: omitDefault(defaultFacts.preset, generation.preset ?? null),
    region: omitDefault(defaultFacts.region, generation.region),
    upstream_model: omitDefault(defaultFacts.upstream_model, generation.upstreamModel ?? null),
    provider_name: omitDefault(defaultFacts.provider_name, generation.provider ?? null),
    endpoint_id: omitDefault(defaultFacts.endpoint_id, generation.endpointId ?? null),
    protocol: generation.protocol,
    streamed: omitDefault(defaultFacts.streamed, generation.streamed),
    is_byok: omitDefault(defaultFacts.is_byok, generation.byok),
    outcome: generation.outcome,
    finish_reason: omitDefault(defaultFacts.finish_reason, finish ?? null),
    native_finish_reason: nativeFinish === finish ? undefined : (nativeFinish ?? null),
    tool_calls: omitDefault(defaultFacts.tool_calls, generation.toolCalls),
    tokens_prompt: tokens.prompt,
    tokens_completion: tokens.completion,
    tokens_cached: omitDefault(defaultFacts.tokens_cached, tokens.cached),
    tokens_cache_written: omitDefault(defaultFacts.tokens_cache_written, tokens.cacheWritten),
    tokens_reasoning: omitDefault(defaultFacts.tokens_reasoning, tokens.reasoning),
    tokens_estimated: omitDefault(defaultFacts.tokens_estimated, generation.estimated),
    // Billed units other than tokens. Most requests have none.
    tokens_cache_written_1h: parts?.cacheWritten1h || undefined,
    tokens_audio_prompt: parts?.audioPrompt || undefined,
    tokens_audio_completion: parts?.audioCompletion || undefined,
    tokens_image_completion: parts?.imageCompletion || undefined,
    service_tier: omitDefault(defaultFacts.service_tier, extras?.serviceTier as string | null | undefined),
    billed_pieces: extras?.pieces,
    unpriced: generation.unpriced?.length ? generation.unpriced : undefined,
    tokens_capped: omitDefault(defaultFacts.tokens_capped, generation.capped),
    cache_discount: generation.cacheSaving ? toUsd(generation.cacheSaving) : undefined,
    upstream_inference_cost: toUsd(generation.cost),
    limit_cost: generation.margin > 0n ? toUsd(generation.cost + generation.margin) : undefined,
    charged_budgets: generation.chargedBudgets,
    // Set by a later correction. Declared for the type of the stored text.
    correction: undefined as StoredCorrection | null | undefined,
    latency: omitDefault(defaultFacts.latency, generation.latencyMs ?? null),
    generation_time: generation.durationMs,
    throughput: omitDefault(defaultFacts.throughput, throughputOf(generation)),
    content_findings: contentFindings?.length ? contentFindings.map(toFinding) : undefined,
    tags: generation.tags && tagsByName(generation.tags),
    app_title: omitDefault(defaultFacts.app_title, generation.app?.title ?? null),
    http_referer: omitDefault(defaultFacts.http_referer, generation.app?.referer ?? null),
    error: cause && toError(cause),
    attempts: generation.attempts.map(toStoredAttempt),
    not_asked: generation.notAsked && shortenEndpoints(generation.notAsked, model),
    ordered_by: generation.orderedBy,
    charged_prices: generation.chargedPrices,
    pace: generation.pace && toStoredPace(generation.pace),
  }
}

/** Returns tag values by name. Several values of one name are joined by commas, as they were sent. */
function tagsByName(tags: NonNullable<Generation['tags']>): Record<string, string> {
  const byName = Object.groupBy(tags, ([name]) => name)
  return Object.fromEntries(
    Object.entries(byName).map(([name, values = []]) => [name, values.map(([, value]) => value).join(',')]),
  )
}

function toFinding({ guardrailId, ...finding }: NonNullable<Generation['contentFindings']>[number]) {
  return { guardrail_id: guardrailId, ...finding }
}

/** Returns the stored form of an attempt. Omits a connection time of 0, as with a reused connection. */
function toStoredAttempt(note: AttemptNote) {
  const { endpointId, provider, outcome, durationMs, reason, connectMs, firstByteMs, error, unconfirmedUsd } = note
  return {
    endpoint_id: endpointId,
    provider_name: provider,
    outcome,
    duration: durationMs,
    reason: reason || undefined,
    connect: connectMs === 0 && firstByteMs !== undefined ? undefined : connectMs,
    first_byte: firstByteMs,
    unconfirmed_usd: unconfirmedUsd,
    error,
  }
}

const toStoredPace = ({ everyMs, tokens }: PaceNote) => ({ every: everyMs, tokens })

function toError({ guardrailId, ...cause }: Cause) {
  return { ...cause, guardrail_id: guardrailId || undefined }
}

/** The model that answered, or else the requested one. */
export const modelOf = ({ modelId, requestedModel }: Generation) => modelId ?? requestedModel

export function toGenerationRecord({ record, created_at, ...row }: RecordRow) {
  const { charged_budgets: _, ...stored } = JSON.parse(record) as Facts
  const facts: Omit<Facts, 'charged_budgets'> = {
    ...defaultFacts,
    ...stored,
    requested_model: stored.requested_model ?? row.model,
    candidate_models: stored.candidate_models ?? [row.model],
    // Null is stored; a reason equal to `finish_reason` is omitted.
    native_finish_reason:
      stored.native_finish_reason === undefined ? (stored.finish_reason ?? null) : stored.native_finish_reason,
    limit_cost: stored.limit_cost ?? stored.upstream_inference_cost,
  }
  return {
    ...facts,
    ...row,
    created_at: isoTime(created_at),
    attempts: chargedAttempts(facts.attempts ?? [], facts),
    not_asked: skippedItems(facts.not_asked, row.model),
    cancelled: facts.outcome === 'client_left',
    ...chargeFields(facts),
    /** The charged amount. With a BYOK key, the provider charges the workspace. */
    total_cost: facts.is_byok ? 0 : facts.upstream_inference_cost,
  }
}

/** Tokens per second, measured after the first token, with three decimals; null for a response that was not streamed or arrived at once. */
export function throughputOf({ streamed, tokens, latencyMs, durationMs }: Generation): number | null {
  if (!streamed || latencyMs === undefined || durationMs <= latencyMs) return null
  return Math.round((tokens.completion / (durationMs - latencyMs)) * 1e6) / 1e3
}
