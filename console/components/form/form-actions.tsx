import type { ComponentChildren } from 'preact'
import { Problem } from '../page/problem.tsx'

type Props = {
  /** The reason for which the last attempt failed. */
  problem: string | undefined
  label: string
  /** Whether the form removes something. */
  isRemoval?: boolean
  disabled: boolean | undefined
  onClose: () => void
  /** Further buttons. */
  children?: ComponentChildren
}

/** The end of a form in a dialog: the problem, and the buttons. */
export function FormActions({ problem, label, isRemoval = false, disabled, onClose, children }: Props) {
  return (
    <>
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" class={isRemoval ? 'bad' : 'main'} disabled={disabled}>
          {label}
        </button>
        {children}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </>
  )
}
