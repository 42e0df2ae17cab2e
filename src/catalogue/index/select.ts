import type { ModelFilter } from '../list/model-query.ts'
import {
  allBits,
  type Bits,
  emptyBits,
  filterBits,
  intersectWith,
  listNumbers,
  subtractBits,
  unionWith,
} from './bits.ts'
import type { Columns, ValueIndex } from './columns.ts'
import type { Model } from './model.ts'
import type { Sort } from './orders.ts'
import { createEndpointFilter } from './select-endpoints.ts'
import type { Snapshot } from './snapshot.ts'

const daySeconds = 24 * 60 * 60

/** Returns the models with these indices in the snapshot. */
export const modelsAt = ({ models }: Pick<Snapshot, 'models'>, indices: Iterable<number>): Model[] =>
  Array.from(indices, (index) => models[index]!)

/** Returns the models that pass the filter in the requested order, as indices in the snapshot. */
export function selectModels(
  snapshot: Snapshot,
  query: ModelFilter & { sort?: Sort | undefined },
  nowMs: number,
): Uint32Array {
  const selected = allBits(snapshot.columns.size)
  filterByValues(selected, snapshot.columns, query)
  filterByNumbers(selected, snapshot, query, nowMs)
  const hasMatchingEndpoint = createEndpointFilter(snapshot, query)
  if (hasMatchingEndpoint) filterBits(selected, hasMatchingEndpoint)
  filterByWords(selected, snapshot.columns, query.q)
  return listNumbers(selected, snapshot.orderOf(query.sort))
}

function filterByValues(selected: Bits, columns: Columns, query: ModelFilter): void {
  const outputs = query.output_modalities ?? ['text']
  if (!outputs.includes('all')) intersectWith(selected, findAny(columns, columns.output(), outputs))
  for (const input of query.input_modalities ?? []) intersectWith(selected, findAny(columns, columns.input(), [input]))
  for (const name of query.supported_parameters ?? [])
    intersectWith(selected, findAny(columns, columns.parameter(), [name]))
  if (query.category) intersectWith(selected, findAny(columns, columns.category(), [query.category]))
  if (query.arch) intersectWith(selected, findAny(columns, columns.architecture(), [query.arch.trim().toLowerCase()]))
  if (query.model_authors) {
    const authors = query.model_authors.map((author) => author.toLowerCase())
    intersectWith(selected, findAny(columns, columns.author(), authors))
  }
  if (query.distillable === 'true') intersectWith(selected, columns.distillable())
  if (query.distillable === 'false') subtractBits(selected, columns.distillable())
}

/** Returns the models that have any of the values. The caller must not change the result, which can be the index itself. */
function findAny(columns: Columns, index: ValueIndex, values: readonly string[]): Bits {
  const [first, ...rest] = values.flatMap((value) => index.get(value) ?? [])
  if (first && rest.length === 0) return first
  const union = emptyBits(columns.size)
  for (const bits of first ? [first, ...rest] : []) unionWith(union, bits)
  return union
}

function filterByNumbers(selected: Bits, snapshot: Snapshot, query: ModelFilter, nowMs: number): void {
  const { columns } = snapshot
  filterByRange(selected, columns.context, query.context, undefined)
  filterByRange(selected, columns.intelligence, query.min_intelligence_index, query.max_intelligence_index)
  filterByRange(selected, columns.coding, query.min_coding_index, query.max_coding_index)
  filterByRange(selected, columns.agentic, query.min_agentic_index, query.max_agentic_index)
  filterByRange(selected, () => snapshot.toolSuccess, query.min_tool_success_rate, query.max_tool_success_rate)
  const { min_age_days: min, max_age_days: max } = query
  if (min === undefined && max === undefined) return
  const now = Math.floor(nowMs / 1000)
  // Plus one, because the age is in whole days: a model is 3 days old until it is 4 days old.
  const oldest = now - ((max ?? Infinity) + 1) * daySeconds
  const newest = now - (min ?? -Infinity) * daySeconds
  const created = columns.created()
  filterBits(selected, (at) => created[at]! > oldest && created[at]! <= newest)
}

/** Removes models without a number within the bounds. */
function filterByRange(
  selected: Bits,
  column: () => Float64Array,
  min: number | undefined,
  max: number | undefined,
): void {
  if (min === undefined && max === undefined) return
  const values = column()
  const low = min ?? Number.NEGATIVE_INFINITY
  const high = max ?? Number.POSITIVE_INFINITY
  filterBits(selected, (at) => values[at]! >= low && values[at]! <= high)
}

function filterByWords(selected: Bits, columns: Columns, search = ''): void {
  const requestedWords = search
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  for (const word of requestedWords) {
    const texts = columns.searchTexts()
    filterBits(selected, (at) => texts[at]!.includes(word))
  }
}
