import { z } from '#platform/json/schema.ts'

/** Whether a workspace stores prompts and responses, in the form of the API. */
export const IoLogging = z.object({
  is_observability_io_logging_enabled: z
    .boolean()
    .describe('Whether prompts and responses are stored, encrypted, for `GET /generation/content`.'),
  io_logging_sampling_rate: z.number().min(0.0001).max(1).describe('Share of requests that are sampled; 1 is all.'),
  io_logging_api_key_ids: z
    .array(z.string().min(1).max(128))
    .max(1000)
    .nullable()
    .describe('Hashes of the keys whose contents are stored; null: all keys of the workspace.'),
})
export type IoLogging = z.infer<typeof IoLogging>

/** The share of a caller's requests whose contents are stored. */
export type StoredShare = { rate: number }

type IoLoggingRow = { io_logging: number; io_logging_rate: number; io_logging_keys: string | null }

export function toIoLogging(row: IoLoggingRow): IoLogging {
  return {
    is_observability_io_logging_enabled: row.io_logging === 1,
    io_logging_sampling_rate: Number(row.io_logging_rate),
    io_logging_api_key_ids: row.io_logging_keys === null ? null : (JSON.parse(row.io_logging_keys) as string[]),
  }
}

/** Returns the columns that a change sets. Omitted fields are not changed. */
export function ioLoggingColumns(patch: Partial<IoLogging>) {
  const { is_observability_io_logging_enabled: enabled, io_logging_sampling_rate: rate } = patch
  const { io_logging_api_key_ids: keys } = patch
  const columns: Partial<IoLoggingRow> = {}
  if (enabled !== undefined) columns.io_logging = enabled ? 1 : 0
  if (rate !== undefined) columns.io_logging_rate = rate
  if (keys !== undefined) columns.io_logging_keys = keys && JSON.stringify(keys)
  return columns
}

/** Returns undefined if no contents of this key's requests are stored. */
export function readStoredShare(
  row: { [Name in keyof IoLoggingRow]: IoLoggingRow[Name] | null },
  keyHash: string,
): StoredShare | undefined {
  // All columns are null for the key of a deleted workspace.
  if (row.io_logging !== 1) return undefined
  const { io_logging_sampling_rate: rate, io_logging_api_key_ids: keys } = toIoLogging(row as IoLoggingRow)
  return keys === null || keys.includes(keyHash) ? { rate } : undefined
}
