import { describeAction } from './audit-actions.ts'

/** A changed field, such as `limit 5 → 10`. */
type Change = { field: string; before: unknown; after: unknown }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The changed fields; all fields of a created or deleted target. */
export function changesOf(before: unknown, after: unknown): Change[] {
  if (!isRecord(before) && !isRecord(after)) {
    return before === after ? [] : [{ field: '', before, after }]
  }
  const [old, next] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((field) => field !== 'updated_at' && JSON.stringify(old[field]) !== JSON.stringify(next[field]))
    .map((field) => ({ field, before: old[field], after: next[field] }))
}

/** Reasons of refusals. The log stores only their kind, because messages could contain paths. */
const reasons: Record<string, string> = {
  conflict: 'Conflict with an existing file.',
  failed: 'Failed.',
  forbidden: 'Not allowed.',
  gone: 'It no longer exists.',
  invalid: 'Invalid request.',
  not_found: 'Not found.',
  payload_too_large: 'Too large.',
  range_not_satisfiable: 'Out of range.',
  rate_limited: 'Too many requests.',
  unavailable: 'The intern’s files could not be reached.',
}

/** Formats a value on one line; a dash for missing values. The fields `act` and `reason` describe a refused action. */
export function formatValue(value: unknown, field = ''): string {
  if (value === undefined || value === null) return '–'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field === 'act') return describeAction(value)
  return (field === 'reason' && reasons[value]) || value
}
