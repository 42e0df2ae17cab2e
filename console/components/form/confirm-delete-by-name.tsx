import { useState } from 'preact/hooks'
import { Problem } from '../page/problem.tsx'
import { useAction } from './use-action.ts'

/** Collapses white space, as HTML does. */
const normalizeSpaces = (name: string) => name.trim().replace(/\s+/g, ' ')

/** A form that confirms an irreversible action: the user must type the name. */
export function ConfirmDeleteByName({
  name,
  verb,
  onConfirm,
}: {
  name: string
  verb: string
  onConfirm: () => Promise<void>
}) {
  const [enteredName, setEnteredName] = useState('')
  const { problem, isBusy, onSubmit } = useAction()
  const isNameConfirmed = normalizeSpaces(enteredName) === normalizeSpaces(name)
  const submit = onSubmit(async () => {
    if (isNameConfirmed) await onConfirm()
  })
  return (
    <form class="delete" onSubmit={submit}>
      <label>
        <span>
          To {verb}, type <b>{name}</b>. This cannot be undone.
        </span>
        <input
          value={enteredName}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setEnteredName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="bad" disabled={isBusy || !isNameConfirmed}>
        {verb[0]!.toUpperCase() + verb.slice(1)}
      </button>
      <Problem text={problem} />
    </form>
  )
}
