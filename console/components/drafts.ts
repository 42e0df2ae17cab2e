import { signal } from '@preact/signals'

/** What was changed and not saved, by what it is of: it stays while one looks at something else. */
const drafts = signal<ReadonlyMap<string, unknown>>(new Map())

export const hasDraft = (of: string): boolean => drafts.value.has(of)

/** The draft of one thing, and how it is set; undefined drops it. */
export function useDraft<T>(of: string): [T | undefined, (draft: T | undefined) => void] {
  const set = (draft: T | undefined) => {
    const others = new Map(drafts.peek())
    if (draft === undefined) others.delete(of)
    else others.set(of, draft)
    drafts.value = others
  }
  return [drafts.value.get(of) as T | undefined, set]
}
