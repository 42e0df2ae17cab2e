import { type Change, FieldChanges } from '../text/field-changes.tsx'

type Props = {
  /** The object that has changed, for the heading. */
  name: string | undefined
  /** The end of the heading. */
  note?: string
  changes: Change[]
  /** Adds these changes to the draft. */
  onMerge: () => void
  /** Continues without these changes, if that is possible. */
  onIgnore?: () => void
}

/** Changes that somebody else made while a draft was edited. Until the user decides, the draft cannot be saved. */
export function Conflict({ name, note, changes, onMerge, onIgnore }: Props) {
  return (
    <section class="notice" aria-label="Changed by others" role="alert">
      <h2>
        {name} has changed since you opened it{note}
      </h2>
      {changes.length > 0 ? <FieldChanges changes={changes} /> : <p>Its contents are the same as when you started.</p>}
      <p>
        <button type="button" class="main" onClick={onMerge}>
          Merge these changes
        </button>{' '}
        {onIgnore && (
          <button type="button" onClick={onIgnore}>
            Continue without them
          </button>
        )}
      </p>
      <p class="dim">Your own changes stay in the draft.</p>
    </section>
  )
}
