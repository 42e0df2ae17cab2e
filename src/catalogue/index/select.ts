import type { ModelFilter } from '../list/query.ts'
import { addAll, allBits, type Bits, keepOthers, keepShared, keepWhere, membersOf, noBits } from './bits.ts'
import type { Columns, ValueIndex } from './columns.ts'
import type { Sort } from './orders.ts'
import { servedWithin } from './select-endpoints.ts'
import type { Snapshot } from './snapshot.ts'

const daySeconds = 24 * 60 * 60

/** Returns the models that pass the filter in the requested order, as indices in the snapshot. */
export function selectModels(
  snapshot: Snapshot,
  query: ModelFilter & { sort?: Sort | undefined },
  nowMs: number,
): Uint32Array {
  const found = allBits(snapshot.columns.size)
  keepByValues(found, snapshot.columns, query)
  keepByNumbers(found, snapshot, query, nowMs)
  const served = servedWithin(snapshot, query)
  if (served) keepWhere(found, served)
  keepByWords(found, snapshot.columns, query.q)
  return membersOf(found, snapshot.orderOf(query.sort))
}

function keepByValues(found: Bits, columns: Columns, query: ModelFilter): void {
  const outputs = query.output_modalities ?? ['text']
  if (!outputs.includes('all')) keepShared(found, anyOf(columns, columns.output(), outputs))
  for (const input of query.input_modalities ?? []) keepShared(found, anyOf(columns, columns.input(), [input]))
  for (const name of query.supported_parameters ?? []) keepShared(found, anyOf(columns, columns.parameter(), [name]))
  if (query.category) keepShared(found, anyOf(columns, columns.category(), [query.category]))
  if (query.arch) keepShared(found, anyOf(columns, columns.architecture(), [query.arch.trim().toLowerCase()]))
  if (query.model_authors) {
    const authors = query.model_authors.map((author) => author.toLowerCase())
    keepShared(found, anyOf(columns, columns.author(), authors))
  }
  if (query.distillable === 'true') keepShared(found, columns.distillable())
  if (query.distillable === 'false') keepOthers(found, columns.distillable())
}

function anyOf(columns: Columns, index: ValueIndex, values: readonly string[]): Bits {
  const [only, ...more] = values.flatMap((value) => index.get(value) ?? [])
  if (only && more.length === 0) return only
  const union = noBits(columns.size)
  for (const bits of only ? [only, ...more] : []) addAll(union, bits)
  return union
}

function keepByNumbers(found: Bits, snapshot: Snapshot, query: ModelFilter, nowMs: number): void {
  const { columns } = snapshot
  keepWithin(found, columns.context, query.context, undefined)
  keepWithin(found, columns.intelligence, query.min_intelligence_index, query.max_intelligence_index)
  keepWithin(found, columns.coding, query.min_coding_index, query.max_coding_index)
  keepWithin(found, columns.agentic, query.min_agentic_index, query.max_agentic_index)
  keepWithin(found, () => snapshot.toolSuccess, query.min_tool_success_rate, query.max_tool_success_rate)
  const { min_age_days: min, max_age_days: max } = query
  if (min === undefined && max === undefined) return
  const now = Math.floor(nowMs / 1000)
  const [oldest, newest] = [now - ((max ?? Infinity) + 1) * daySeconds, now - (min ?? -Infinity) * daySeconds]
  const created = columns.created()
  keepWhere(found, (at) => created[at]! > oldest && created[at]! <= newest)
}

/** Keeps models with a number within the bounds. A missing number is outside of all bounds. */
function keepWithin(found: Bits, column: () => Float64Array, min: number | undefined, max: number | undefined): void {
  if (min === undefined && max === undefined) return
  const values = column()
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY]
  keepWhere(found, (at) => values[at]! >= low && values[at]! <= high)
}

function keepByWords(found: Bits, columns: Columns, q: string | undefined): void {
  const requested =
    q
      ?.toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean) ?? []
  for (const word of requested) {
    const words = columns.words()
    keepWhere(found, (at) => words[at]!.includes(word))
  }
}
