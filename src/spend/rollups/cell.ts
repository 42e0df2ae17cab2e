import { Sketch } from '#platform/metrics/sketch.ts'
import type { Dimensions } from './dimensions.ts'
import type { RequestFacts } from './request-facts.ts'

/** The summed amounts. Money in pico-dollars. */
export const amountNames = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cached_tokens',
  'cache_written_tokens',
  'tool_calls',
  'cost_pico',
  'saving_pico',
  'margin_pico',
] as const
export type Amount = (typeof amountNames)[number]
export type Amounts = Record<Amount, bigint>

/** The stored distributions: milliseconds to the first token, total milliseconds, tokens per second. */
export const sketchNames = ['latency', 'duration', 'throughput'] as const
export type SketchName = (typeof sketchNames)[number]

/** The sums of the requests with the same dimensions in one time slot. */
export type Cell = { dimensions: Dimensions; amounts: Amounts; sketches: Record<SketchName, Sketch> }

export function newCell(dimensions: Dimensions): Cell {
  return {
    dimensions,
    amounts: {
      requests: 0n,
      prompt_tokens: 0n,
      completion_tokens: 0n,
      reasoning_tokens: 0n,
      cached_tokens: 0n,
      cache_written_tokens: 0n,
      tool_calls: 0n,
      cost_pico: 0n,
      saving_pico: 0n,
      margin_pico: 0n,
    },
    sketches: newSketches(),
  }
}

export function newSketches(): Cell['sketches'] {
  return { latency: new Sketch(), duration: new Sketch(), throughput: new Sketch() }
}

export function addRequest({ amounts, sketches }: Cell, facts: RequestFacts): void {
  const { tokens } = facts
  amounts.requests += 1n
  amounts.prompt_tokens += boundedCount(tokens.prompt)
  amounts.completion_tokens += boundedCount(tokens.completion)
  amounts.reasoning_tokens += boundedCount(tokens.reasoning)
  amounts.cached_tokens += boundedCount(tokens.cached)
  amounts.cache_written_tokens += boundedCount(tokens.cacheWritten)
  amounts.tool_calls += boundedCount(facts.toolCalls)
  amounts.cost_pico += facts.cost
  amounts.saving_pico += facts.cacheSaving
  amounts.margin_pico += facts.margin
  if (isMeasured(facts.latencyMs)) sketches.latency.accept(facts.latencyMs)
  if (isMeasured(facts.durationMs)) sketches.duration.accept(facts.durationMs)
  if (isMeasured(facts.throughput)) sketches.throughput.accept(facts.throughput)
}

const isMeasured = (value: number | null): value is number => value !== null && Number.isFinite(value)

/** Limits the count of one request, so that sums of nine million requests fit a column. */
const maxCount = 1e12

const boundedCount = (count: number): bigint =>
  Number.isFinite(count) ? BigInt(Math.trunc(Math.min(Math.max(count, 0), maxCount))) : 0n

/** The grains: the lengths of slots, in minutes. */
export const grains = { minute: 1, hour: 60, day: 1440 } as const
export type Grain = (typeof grains)[keyof typeof grains]

export const toSlot = (minute: number, grain: number): number => Math.floor(minute / grain)
