import { signal } from '@preact/signals'

/** Unsaved changes by the id of the edited thing. They survive a change of screens. */
const drafts = signal<ReadonlyMap<string, unknown>>(new Map())

export const hasDraft = (of: string): boolean => drafts.value.has(of)

/** The draft of one thing and its setter; undefined deletes the draft. */
export function useDraft<T>(of: string): [T | undefined, (draft: T | undefined) => void] {
  const set = (draft: T | undefined) => {
    const others = new Map(drafts.peek())
    if (draft === undefined) others.delete(of)
    else others.set(of, draft)
    drafts.value = others
  }
  return [drafts.value.get(of) as T | undefined, set]
}
