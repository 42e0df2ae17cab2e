/** The dimensions of a cell in addition to its time. An empty text means no value. */
export const dimensionNames = [
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
export type Dimension = (typeof dimensionNames)[number]
export type Dimensions = Record<Dimension, string>
