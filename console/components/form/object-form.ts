import { useEffect, useState } from 'preact/hooks'
import { type CallOptions, ifMissing, ifUnchanged } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import type { Change } from '../text/field-changes.tsx'

/**
 * The fields of an object that a form edits. The object is read again when the form opens. Saving is refused if
 * somebody else has changed or created the object since; then `conflict` has their changes.
 * @param listed the object as a list shows it; undefined for a new one.
 * @returns `base`: the object that the form changes, as it was last read; `loaded`: the fields of `base`.
 */
export function useObjectForm<T extends object | undefined, Fields extends object>(
  listed: T,
  load: () => Promise<T>,
  fieldsOf: (object: T) => Fields,
) {
  const [base, setBase] = useState(listed)
  const [fields, setFields] = useState(() => fieldsOf(listed))
  const [theirs, setTheirs] = useState<T>()
  const rebase = (stored: T) => {
    setFields((draft) => mergeFields(fieldsOf(base), draft, fieldsOf(stored)))
    setBase(stored)
    setTheirs(undefined)
  }
  useEffect(() => {
    // If the read fails, the form uses the object of the list, and saves it unconditionally.
    if (listed !== undefined) load().then(rebase, () => {})
  }, [])
  /** @returns whether the change was made. @throws Failure for another reason than a change by somebody else. */
  const saveIfUnmodified = async (save: (options: CallOptions) => Promise<void>): Promise<boolean> => {
    try {
      await save(base === undefined ? ifMissing : ifUnchanged(base))
      return true
    } catch (error) {
      if (asFailure(error).status !== 412) throw error
      setTheirs(await load())
      return false
    }
  }
  const conflict = theirs && {
    changes: changedFields(fieldsOf(base), fieldsOf(theirs)),
    onMerge: () => rebase(theirs),
  }
  return { base, loaded: fieldsOf(base), fields, setFields, saveIfUnmodified, conflict }
}

/** Merges two changes of `base`: fields that `draft` did not change get the value of `stored`. */
export function mergeFields<Fields extends object>(base: Fields, draft: Fields, stored: Fields): Fields {
  const names = Object.keys(stored) as (keyof Fields)[]
  const merged = names.map((name) => [name, isSame(draft[name], base[name]) ? stored[name] : draft[name]])
  return Object.fromEntries(merged) as Fields
}

/** The fields in which two objects differ. */
export function changedFields(oldFields: object, newFields: object): Change[] {
  const [was, is] = [new Map(Object.entries(oldFields)), new Map(Object.entries(newFields))]
  return [...is.keys()]
    .filter((field) => !isSame(was.get(field), is.get(field)))
    .map((field) => ({ field, removed: linesOf(was.get(field)), added: linesOf(is.get(field)) }))
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function linesOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return []
  return [value].flat().map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item)))
}
