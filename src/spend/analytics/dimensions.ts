import type { DimensionColumn } from '../rollups/dimensions.ts'

/** The dimensions for grouping and filters, by their names in the API, with their columns in tables of cells. */
export const dimensions = {
  model: { column: 'model', label: 'Model' },
  provider: { column: 'provider', label: 'Provider' },
  endpoint: { column: 'endpoint', label: 'Endpoint' },
  api_key_id: { column: 'key_hash', label: 'API key' },
  user: { column: 'user_id', label: 'Member' },
  workspace: { column: 'workspace_id', label: 'Workspace' },
  preset: { column: 'preset', label: 'Preset' },
  outcome: { column: 'outcome', label: 'Outcome' },
  error: { column: 'error', label: 'Error' },
  is_byok: { column: 'byok', label: 'Own provider key' },
} as const satisfies Record<string, { column: DimensionColumn; label: string }>

export type DimensionName = keyof typeof dimensions
export const dimensionNames = Object.keys(dimensions) as DimensionName[]

/** The shape of each operator's operand. */
export const operators = { eq: 'scalar', neq: 'scalar', in: 'array', not_in: 'array' } as const

/** A filter of cells. An empty text means no value. */
export type DimensionFilter = {
  column: DimensionColumn
  values: readonly string[]
  /** Whether the filter matches all other values instead. */
  isNegated: boolean
  /** Whether cells without a value match. */
  includesUnset: boolean
}

export function matchesFilter({ values, isNegated, includesUnset }: DimensionFilter, value: string): boolean {
  if (value === '') return includesUnset
  return values.includes(value) !== isNegated
}
