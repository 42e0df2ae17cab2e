import { type CallOptions, call, ifUnchanged } from '../../api/client.ts'
import { currentSession } from '../../api/session.ts'
import type { Key, KeyPatch } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { useObjectForm } from '../../components/form/object-form.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { editableKeyFields } from '../permissions.ts'
import { fieldsOf, patchOf, undoOf } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'

type Props = {
  storedKey: Key
  onChanged: () => void
  /** Called instead of `onChanged` after the deletion. */
  onDeleted?: () => void
  onClose: () => void
}

/** A dialog that changes or deletes a key. Changes can be undone. */
export function ChangeKey({ storedKey: key, onChanged, onDeleted = onChanged, onClose }: Props) {
  const params = { hash: key.hash }
  const load = async () => (await call('GET /keys/{hash}', { params })).data
  const { base, fields, setFields, saveIfUnmodified, conflict } = useObjectForm(key, load, fieldsOf)
  const canChangeAll = editableKeyFields(currentSession(), key) === 'all'
  const patch = patchOf(fieldsOf(base), fields)
  const save = async (body: KeyPatch, options: CallOptions) => {
    const { data } = await call('PATCH /keys/{hash}', { params, body }, options)
    onChanged()
    return data
  }
  const submit = async () => {
    const isSaved = await saveIfUnmodified(async (options) => {
      const updated = await save(patch, options)
      const undo = () => void runOrToast(() => save(undoOf(patch, base), ifUnchanged(updated)))
      // Developers can disable a key, but not enable it again.
      toast(`${key.name} updated`, canChangeAll || !patch.disabled ? { undo } : {})
    })
    if (isSaved) onClose()
  }
  const remove = async () => {
    await call('DELETE /keys/{hash}', { params })
    onClose()
    onDeleted()
    toast(`${key.name} deleted`)
  }
  return (
    <FormDialog
      title={`Change ${key.name}`}
      label="Save"
      isDisabled={Object.keys(patch).length === 0}
      conflict={conflict && { name: key.name, ...conflict }}
      onSubmit={submit}
      onClose={onClose}
      below={<ConfirmDeleteByName name={key.name} verb="delete" onConfirm={remove} />}
    >
      <KeyInputs fields={fields} onChange={(change) => setFields({ ...fields, ...change })} hasLimits={canChangeAll} />
      <label class="check">
        <input
          type="checkbox"
          checked={fields.disabled}
          onChange={(event) => setFields({ ...fields, disabled: event.currentTarget.checked })}
        />
        Disabled: its requests are refused{!canChangeAll && ', until an admin enables it'}
      </label>
    </FormDialog>
  )
}
