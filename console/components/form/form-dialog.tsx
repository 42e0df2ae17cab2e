import type { ComponentChildren, ComponentProps } from 'preact'
import { Conflict } from './conflict.tsx'
import { Dialog } from './dialog.tsx'
import { FormActions } from './form-actions.tsx'
import { useAction } from './use-action.ts'

type Props = {
  title: string
  /** The label of the button that submits the form. */
  label: string
  /** Whether the form removes something. */
  isRemoval?: boolean
  isDisabled?: boolean | undefined
  /** Changes of others, which must be merged before the form can be submitted. */
  conflict?: ComponentProps<typeof Conflict> | undefined
  onSubmit: () => Promise<void>
  onClose: () => void
  /** Content below the form, such as the confirmation of a deletion. */
  below?: ComponentChildren
  children: ComponentChildren
}

/** A dialog with a form. It shows why the last attempt failed, and cannot be submitted twice at once. */
export function FormDialog({
  title,
  label,
  isRemoval,
  isDisabled,
  conflict,
  onSubmit: submit,
  onClose,
  below,
  children,
}: Props) {
  const { problem, isBusy, onSubmit } = useAction()
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <form class="fields" onSubmit={onSubmit(submit)} autocomplete="off">
        {children}
        {conflict && <Conflict {...conflict} />}
        <FormActions
          problem={problem}
          label={label}
          isRemoval={isRemoval}
          disabled={isBusy || isDisabled || conflict !== undefined}
          onClose={onClose}
        />
      </form>
      {below}
    </Dialog>
  )
}
