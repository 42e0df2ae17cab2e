/** The dimensions of a cell besides its time. Empty text where a request has none of that kind. */
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
