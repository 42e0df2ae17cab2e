import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedInternHost } from '../../api/types.ts'
import { Problem } from '../../components/problem.tsx'
import { useAction } from '../../components/use-action.ts'

type Props = {
  /** The hosts that can be moved to. */
  hosts: readonly Pick<ListedInternHost, 'name'>[]
  /** What stands before the hosts, and on the button. */
  label: string
  verb: string
  /** What has to be so before. */
  children: ComponentChildren
  move: (to: string) => Promise<void>
  onClose: () => void
}

/** Chooses a host, and moves there what has its files there already. */
export function MoveForm({ hosts, label, verb, children, move, onClose }: Props) {
  const [to, choose] = useState('')
  const { problem, isBusy, act } = useAction()
  const submit = (event: Event) => {
    event.preventDefault()
    void act(() => move(to))
  }
  return (
    <form class="fields" onSubmit={submit}>
      <p>{children}</p>
      <label>
        {label}
        <select required value={to} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{hosts.length > 0 ? 'Choose a host' : 'No other host'}</option>
          {hosts.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" disabled={isBusy || to === ''}>
          {verb}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  )
}
