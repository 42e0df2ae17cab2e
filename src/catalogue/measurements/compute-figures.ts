import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Sketch } from '#platform/metrics/sketch.ts'
import {
  type EndpointFigures,
  type Figures,
  type ModelFigures,
  type Percentiles,
  unmeasuredEndpoint,
  unmeasuredModel,
} from './figures.ts'
import {
  addEndpointSums,
  addModel,
  addUptime,
  type ModelHour,
  newEndpointSums,
  newModelHour,
  newUptime,
  type Slots,
  type Tally,
  type Uptime,
  windowStarts,
} from './tally.ts'

/** The minimum number of requests in the window for latency and throughput. */
const minRequests = 5

/**
 * Computes figures from several tallies, within the windows that end at `now`. Yields between slots, so that even a
 * thousand busy endpoints do not block requests.
 */
export async function computeFigures(tallies: Tally[], now: number): Promise<Figures> {
  const { fiveMinutes, halfHour, day, week } = windowStarts(now)
  const minutes = tallies.map((tally) => tally.endpointMinutes)
  const lastFiveMinutes = await sumSlots(minutes, fiveMinutes, newUptime, addUptime)
  const halfHours = await sumSlots(minutes, halfHour, newEndpointSums, addEndpointSums)
  const hours = tallies.map((tally) => tally.endpointHours)
  const days = await sumSlots(hours, day, newUptime, addUptime)
  const models = tallies.map((tally) => tally.modelHours)
  const weeks = await sumSlots(models, week, newModelHour, addModel)

  const endpoints = new Map<string, EndpointFigures>()
  for (const [id, uptime] of days) {
    const { latency, throughput, speed, ...recent } = halfHours.get(id) ?? newEndpointSums()
    endpoints.set(id, {
      latencyMs: percentiles(latency),
      throughput: percentiles(throughput),
      fastest: speed.count < minRequests ? null : speed.quantile(1)!,
      uptime5m: percentage(lastFiveMinutes.get(id)),
      uptime30m: percentage(recent),
      uptime1d: percentage(uptime),
    })
  }
  const byModel = new Map([...weeks].map(([id, traffic]) => [id, toModelFigures(traffic)]))
  return {
    endpoint: (id) => endpoints.get(id) ?? unmeasuredEndpoint,
    model: (id) => byModel.get(id) ?? unmeasuredModel,
  }
}

async function sumSlots<Cell, Total>(
  parts: Slots<Cell>[],
  oldest: number,
  createTotal: () => Total,
  add: (total: Total, cell: Cell) => void,
): Promise<Map<string, Total>> {
  const totals = new Map<string, Total>()
  for (const slots of parts) {
    for (const [slot, cells] of slots) {
      if (slot < oldest) continue
      for (const [id, cell] of cells) add(totals.getOrInsertComputed(id, createTotal), cell)
      await yieldToEventLoop()
    }
  }
  return totals
}

export function percentiles(sketch: Sketch): Percentiles | null {
  if (sketch.count < minRequests) return null
  const at = (share: number) => Number(sketch.quantile(share)!.toPrecision(4))
  return { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) }
}

/** Returns a percentage with three decimal places, rounded down, so that one failure in a million is not 100 %. */
export function percentage({ successes, errors }: Uptime = newUptime()): number | null {
  if (successes + errors === 0) return null
  return Math.floor((successes * 100_000) / (successes + errors)) / 1000
}

function toModelFigures({ requests, tokens, toolCalls }: ModelHour): ModelFigures {
  return { requests7d: requests, tokens7d: tokens, toolSuccess: requests === 0 ? null : toolCalls / requests }
}
