import { hourMs, minuteMs } from '#platform/core/clock.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import type { Measurement } from './measurement.ts'

/** The results of requests at one endpoint that count for its uptime. */
export type Uptime = { successes: number; errors: number }
/** The measurements of one endpoint in a minute or a longer time. */
export type EndpointSums = Uptime & {
  /** Milliseconds to the first token. */
  latency: Sketch
  /** Tokens per second from the first token to the end of the response. The throughput is displayed, and used to sort endpoints. */
  throughput: Sketch
  /**
   * Tokens per second without the first interval of the response, which can have a backlog. The fastest one limits charges. Short
   * responses have none.
   */
  speed: Sketch
}
export type ModelHour = { requests: number; tokens: number; toolCalls: number }

/** Cells by slot of time (whole minutes or hours since the epoch), then by endpoint or model. */
export type Slots<Cell> = Map<number, Map<string, Cell>>

/** All counts, in three resolutions: sketches by minute, uptime by hour, and popularity by hour and model. */
export type Tally = {
  endpointMinutes: Slots<EndpointSums>
  endpointHours: Slots<Uptime>
  modelHours: Slots<ModelHour>
}

export const minuteOf = (ms: number) => Math.floor(ms / minuteMs)
export const hourOf = (ms: number) => Math.floor(ms / hourMs)

/** Returns the oldest slot of each window. A slot that overlaps the start of a window counts completely. */
export const windowStarts = (now: number) => ({
  fiveMinutes: minuteOf(now - 5 * minuteMs),
  halfHour: minuteOf(now - 30 * minuteMs),
  day: hourOf(now - 24 * hourMs),
  week: hourOf(now - 7 * 24 * hourMs),
})

export const newTally = (): Tally => ({ endpointMinutes: new Map(), endpointHours: new Map(), modelHours: new Map() })

export const newEndpointSums = (): EndpointSums => ({
  successes: 0,
  errors: 0,
  latency: new Sketch(),
  throughput: new Sketch(),
  speed: new Sketch(),
})
export const newUptime = (): Uptime => ({ successes: 0, errors: 0 })
export const newModelHour = (): ModelHour => ({ requests: 0, tokens: 0, toolCalls: 0 })

export function addUptime(total: Uptime, cell: Uptime): void {
  total.successes += cell.successes
  total.errors += cell.errors
}

export function addEndpointSums(total: EndpointSums, cell: EndpointSums): void {
  addUptime(total, cell)
  total.latency.merge(cell.latency)
  total.throughput.merge(cell.throughput)
  total.speed.merge(cell.speed)
}

export function addModel(total: ModelHour, cell: ModelHour): void {
  total.requests += cell.requests
  total.tokens += cell.tokens
  total.toolCalls += cell.toolCalls
}

export function getOrCreateCell<Cell>(slots: Slots<Cell>, slot: number, id: string, createCell: () => Cell): Cell {
  return slots.getOrInsertComputed(slot, () => new Map()).getOrInsertComputed(id, createCell)
}

/** Counts one measurement. Also adds the changed cells, as the same objects, to `changed`. */
export function countMeasurement(tally: Tally, changed: Tally, measurement: Measurement & { at: number }): void {
  const { endpointId, modelId, at } = measurement
  const [minute, hour] = [minuteOf(at), hourOf(at)]
  const minuteCell = getOrCreateCell(tally.endpointMinutes, minute, endpointId, newEndpointSums)
  const hourCell = getOrCreateCell(tally.endpointHours, hour, endpointId, newUptime)
  const modelCell = getOrCreateCell(tally.modelHours, hour, modelId, newModelHour)
  countOutcome(minuteCell, measurement)
  countSpeed(minuteCell, measurement)
  countOutcome(hourCell, measurement)
  countModel(modelCell, measurement)
  getOrCreateCell(changed.endpointMinutes, minute, endpointId, () => minuteCell)
  getOrCreateCell(changed.endpointHours, hour, endpointId, () => hourCell)
  getOrCreateCell(changed.modelHours, hour, modelId, () => modelCell)
}

function countOutcome(cell: Uptime, { outcome }: Measurement): void {
  if (outcome === 'success') cell.successes++
  if (outcome === 'upstream_error') cell.errors++
}

function countSpeed(
  cell: EndpointSums,
  { firstTokenMs, generationMs, completionTokens, generatedTokens = completionTokens, speed }: Measurement,
): void {
  if (isAmount(speed) && speed > 0) cell.speed.accept(speed)
  if (isAmount(firstTokenMs)) cell.latency.accept(firstTokenMs)
  if (isAmount(generationMs) && isAmount(generatedTokens) && generationMs > 0 && generatedTokens > 0) {
    cell.throughput.accept((generatedTokens * 1000) / generationMs)
  }
}

function countModel(cell: ModelHour, { outcome, promptTokens, completionTokens, calledTools }: Measurement): void {
  if (isAmount(promptTokens)) cell.tokens += Math.round(promptTokens)
  if (isAmount(completionTokens)) cell.tokens += Math.round(completionTokens)
  if (outcome !== 'success') return
  cell.requests++
  if (calledTools) cell.toolCalls++
}

/** Whether a number is valid. Some upstreams report invalid ones. */
const isAmount = (value: number | undefined): value is number =>
  value !== undefined && value >= 0 && value <= Number.MAX_SAFE_INTEGER

/** Replaces slots by those of a newer tally. */
export function replaceSlots(tally: Tally, newer: Tally): void {
  for (const [slot, cells] of newer.endpointMinutes) tally.endpointMinutes.set(slot, cells)
  for (const [slot, cells] of newer.endpointHours) tally.endpointHours.set(slot, cells)
  for (const [slot, cells] of newer.modelHours) tally.modelHours.set(slot, cells)
}

/** Adds the cells of another tally that are missing. */
export function addMissingCells(tally: Tally, from: Tally): void {
  addMissing(tally.endpointMinutes, from.endpointMinutes)
  addMissing(tally.endpointHours, from.endpointHours)
  addMissing(tally.modelHours, from.modelHours)
}

function addMissing<Cell>(slots: Slots<Cell>, from: Slots<Cell>): void {
  for (const [slot, cells] of from) for (const [id, cell] of cells) getOrCreateCell(slots, slot, id, () => cell)
}

/** Whether the tally is empty. Every measurement has a cell in `modelHours`, which is retained longest. */
export const isEmptyTally = (tally: Tally) => tally.modelHours.size === 0

/** Removes slots that are older than all windows. */
export function removeExpired(tally: Tally, now: number): void {
  const { halfHour, day, week } = windowStarts(now)
  dropBefore(tally.endpointMinutes, halfHour)
  dropBefore(tally.endpointHours, day)
  dropBefore(tally.modelHours, week)
}

function dropBefore(slots: Slots<unknown>, oldest: number): void {
  for (const slot of slots.keys()) if (slot < oldest) slots.delete(slot)
}
