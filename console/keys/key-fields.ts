import type { Key, KeyPatch } from '../api/types.ts'

/** What the form of a key holds: text, as fields do. */
export type KeyFields = { name: string; limit: string; reset: string; expires: string; disabled: boolean }

export const emptyFields: KeyFields = { name: '', limit: '', reset: '', expires: '', disabled: false }

export const fieldsOf = ({ name, limit, limit_reset, expires_at, disabled }: Key): KeyFields => ({
  name,
  limit: limit === null ? '' : String(limit),
  reset: limit_reset ?? '',
  expires: expires_at === null ? '' : dayOf(new Date(expires_at)),
  disabled,
})

/** What the fields mean. A key ends with its last day, in the zone of who fills it in. */
export const parseFields = ({ name, limit, reset, expires, disabled }: KeyFields) => ({
  name: name.trim(),
  limit: limit.trim() === '' ? null : Number(limit),
  limit_reset: (limit.trim() === '' || reset === '' ? null : reset) as Key['limit_reset'],
  expires_at: expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString(),
  disabled,
})

/** Only what was changed: who may only rename a key is refused when anything else is sent. */
export function patchOf(before: KeyFields, after: KeyFields): KeyPatch {
  const [old, next] = [parseFields(before), parseFields(after)]
  return Object.fromEntries(
    Object.entries(next).filter(([field, value]) => value !== old[field as keyof typeof old]),
  ) as KeyPatch
}

/** What takes a change back. */
export const undoOf = (patch: KeyPatch, key: Key): KeyPatch =>
  Object.fromEntries(Object.keys(patch).map((field) => [field, key[field as keyof Key]])) as KeyPatch

const two = (value: number) => String(value).padStart(2, '0')
const dayOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
