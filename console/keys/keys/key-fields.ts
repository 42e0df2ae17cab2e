import type { Key, KeyPatch } from '../../api/types.ts'
import { localDay } from '../../format/time.ts'

/** The form state of a key. */
export type KeyFields = { name: string; limit: string; reset: string; expires: string; disabled: boolean }

export const emptyFields: KeyFields = { name: '', limit: '', reset: '', expires: '', disabled: false }

export const fieldsOf = ({ name, limit, limit_reset, expires_at, disabled }: Key): KeyFields => ({
  name,
  limit: limit === null ? '' : String(limit),
  reset: limit_reset ?? '',
  expires: expires_at === null ? '' : localDay(new Date(expires_at)),
  disabled,
})

/** Converts the form to the API's format. A key expires at the end of its last day, in the local time zone. */
export const parseFields = ({ name, limit, reset, expires, disabled }: KeyFields) => ({
  name: name.trim(),
  limit: limit.trim() === '' ? null : Number(limit),
  limit_reset: (limit.trim() === '' || reset === '' ? null : reset) as Key['limit_reset'],
  expires_at: expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString(),
  disabled,
})

/** The changed fields. The service rejects unchanged fields that the user is not allowed to set. */
export function patchOf(oldFields: KeyFields, newFields: KeyFields): KeyPatch {
  const [old, next] = [parseFields(oldFields), parseFields(newFields)]
  return Object.fromEntries(
    Object.entries(next).filter(([field, value]) => value !== old[field as keyof typeof old]),
  ) as KeyPatch
}

/** The patch that reverts a change. */
export const undoOf = (patch: KeyPatch, key: Key): KeyPatch =>
  Object.fromEntries(Object.keys(patch).map((field) => [field, key[field as keyof Key]])) as KeyPatch
