import { describeAction } from './audit-actions.ts'

/** One field that a change touched, as `limit 5 → 10`. */
export type Change = { field: string; before: unknown; after: unknown }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What differs between before and after; of what was made or deleted, all that it had. */
export function changesOf(before: unknown, after: unknown): Change[] {
  if (!isRecord(before) && !isRecord(after)) {
    return before === after || (before === null && after === null) ? [] : [{ field: '', before, after }]
  }
  const [old, next] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((field) => field !== 'updated_at' && JSON.stringify(old[field]) !== JSON.stringify(next[field]))
    .map((field) => ({ field, before: old[field], after: next[field] }))
}

/** Why something was refused, where the trail has but the kind of refusal: a message would tell of paths. */
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

/** A value of a field in one line; what is not there, or null, is a dash. */
export function formatValue(value: unknown, field = ''): string {
  if (value === undefined || value === null) return '–'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field === 'act') return describeAction(value)
  return (field === 'reason' && reasons[value]) || value
}
