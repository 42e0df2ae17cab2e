import { signal } from '@preact/signals'

/** Unsaved changes by the id of the edited thing. They survive a change of screens. */
const drafts = signal<ReadonlyMap<string, unknown>>(new Map())

export const hasDraft = (id: string): boolean => drafts.value.has(id)

/** The draft of one thing and its setter; undefined deletes the draft. */
export function useDraft<T>(id: string): [T | undefined, (draft: T | undefined) => void] {
  const set = (draft: T | undefined) => {
    const others = new Map(drafts.peek())
    if (draft === undefined) others.delete(id)
    else others.set(id, draft)
    drafts.value = others
  }
  return [drafts.value.get(id) as T | undefined, set]
}
