import { type Change, Difference } from '../text/difference.tsx'

type Props = {
  /** The object that has changed, for the heading. */
  name: string | undefined
  /** The end of the heading. */
  note?: string
  changes: Change[]
  /** Adds these changes to the draft. */
  merge: () => void
  /** Continues without these changes, if that is possible. */
  ignore?: () => void
}

/** Changes that somebody else made while a draft was edited. Until the user decides, the draft cannot be saved. */
export function Conflict({ name, note, changes, merge, ignore }: Props) {
  return (
    <section class="notice" aria-label="Changed by others" role="alert">
      <h2>
        {name} has changed since you opened it{note}
      </h2>
      {changes.length > 0 ? <Difference changes={changes} /> : <p>Its contents are the same as when you started.</p>}
      <p>
        <button type="button" class="main" onClick={merge}>
          Merge these changes
        </button>{' '}
        {ignore && (
          <button type="button" onClick={ignore}>
            Continue without them
          </button>
        )}
      </p>
      <p class="dim">Your own changes stay in the draft.</p>
    </section>
  )
}
