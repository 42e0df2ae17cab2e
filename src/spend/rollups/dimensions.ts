/** The columns of a cell's dimensions, without its time. An empty text means no value. */
export const dimensionColumns = [
  'organization_id',
  'workspace_id',
  'key_hash',
  'user_id',
  'model',
  'endpoint',
  'provider',
  'preset',
  'outcome',
  'error',
  'byok',
] as const
export type DimensionColumn = (typeof dimensionColumns)[number]
export type Dimensions = Record<DimensionColumn, string>
