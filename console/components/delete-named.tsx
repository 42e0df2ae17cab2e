import { useState } from 'preact/hooks'
import { Problem } from './problem.tsx'
import { useAction } from './use-action.ts'

/** As it is shown, and can be typed: whatever spaces and ends of lines are in it. */
const asShown = (name: string) => name.trim().replace(/\s+/g, ' ')

/** What cannot be taken back asks for the name first. */
export function DeleteNamed({ name, verb, act }: { name: string; verb: string; act: () => Promise<void> }) {
  const [typed, setTyped] = useState('')
  const { problem, isBusy, act: run } = useAction()
  const isTyped = asShown(typed) === asShown(name)
  const submit = (event: Event) => {
    event.preventDefault()
    if (isTyped) void run(act)
  }
  return (
    <form class="delete" onSubmit={submit}>
      <label>
        <span>
          Type <b>{name}</b> to confirm. This cannot be undone.
        </span>
        <input
          value={typed}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="bad" disabled={isBusy || !isTyped}>
        {verb[0]!.toUpperCase() + verb.slice(1)}
      </button>
      <Problem text={problem} />
    </form>
  )
}
