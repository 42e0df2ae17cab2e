import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedInternHost } from '../../api/types.ts'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useAction } from '../../components/form/use-action.ts'

type Props = {
  /** Possible targets. */
  hosts: readonly Pick<ListedInternHost, 'name'>[]
  /** The label of the select. */
  label: string
  /** The prerequisites. */
  children: ComponentChildren
  onMove: (to: string) => Promise<void>
  onClose: () => void
}

/** A form that selects a target host. The files must be copied before. */
export function MoveForm({ hosts, label, children, onMove, onClose }: Props) {
  const [to, setTo] = useState('')
  const { problem, isBusy, onSubmit } = useAction()
  const submit = onSubmit(() => onMove(to))
  return (
    <form class="fields" onSubmit={submit}>
      <p>{children}</p>
      <label>
        {label}
        <select required value={to} onChange={(event) => setTo(event.currentTarget.value)}>
          <option value="">{hosts.length > 0 ? 'Choose a host' : 'No other host'}</option>
          {hosts.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <FormActions problem={problem} label="Move" disabled={isBusy || to === ''} onClose={onClose} />
    </form>
  )
}
