import { type CallOptions, call, ifUnchanged } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import type { ProviderCredential } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { useObjectForm } from '../../components/form/object-form.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import {
  changedFields,
  fieldsOf,
  newProvider,
  type ProviderFields,
  priorities,
  priorityFields,
} from './provider-fields.ts'

type Props = {
  /** The key to change; undefined for a new one. */
  credential?: ProviderCredential
  /** The workspace of a new key. Defaults to the session's workspace. */
  workspace?: { workspace_id?: string }
  onStored: () => void
  onClose: () => void
}

/** A dialog that adds, changes or removes a provider key of a workspace. Stored keys are never displayed. */
export function ProviderKeyDialog({ credential, workspace, onStored, onClose }: Props) {
  // Unused for a new key.
  const params = { id: credential?.id ?? '' }
  const load = async () => (await call('GET /byok/{id}', { params })).data
  const form = useObjectForm<ProviderCredential | undefined, ProviderFields>(credential, load, (stored) =>
    stored ? fieldsOf(stored) : newProvider,
  )
  const { loaded, fields, setFields, saveIfUnmodified, conflict } = form
  const name = credential ? credential.name || credential.provider : ''
  const title = credential ? `Change ${name}` : 'Add provider key'
  const change = changedFields(loaded, fields)
  const patch = async (body: typeof change, options: CallOptions) => {
    const { data } = await call('PATCH /byok/{id}', { params, body }, options)
    onStored()
    return data
  }
  const submit = async () => {
    if (credential) {
      const isSaved = await saveIfUnmodified(async (options) => {
        const updated = await patch(change, options)
        // The previous key cannot be restored, because it is never displayed.
        const { key, ...undoPatch } = changedFields(fields, loaded)
        const undo = () => void runOrToast(() => patch(undoPatch, ifUnchanged(updated)))
        toast(`${name} updated`, change.key === undefined ? { undo } : {})
      })
      if (!isSaved) return
    } else {
      const { provider, key, name: label, priority } = fields
      await call('POST /byok', {
        body: {
          provider: provider.trim(),
          key,
          name: label.trim() || null,
          ...priorityFields(priority),
          ...workspace,
        },
      })
      onStored()
      toast(`Key of ${provider} added`)
    }
    onClose()
  }
  const remove = async () => {
    await call('DELETE /byok/{id}', { params })
    onStored()
    onClose()
    toast(`${name} removed`)
  }
  return (
    <FormDialog
      title={title}
      label={credential ? 'Save' : 'Add'}
      isDisabled={credential && Object.keys(change).length === 0}
      conflict={conflict && { name, ...conflict }}
      onSubmit={submit}
      onClose={onClose}
      below={credential && <ConfirmDeleteByName name={name} verb="remove" onConfirm={remove} />}
    >
      <ProviderInputs isNew={!credential} fields={fields} onChange={(part) => setFields({ ...fields, ...part })} />
    </FormDialog>
  )
}

type InputsProps = { isNew: boolean; fields: ProviderFields; onChange: (part: Partial<ProviderFields>) => void }

function ProviderInputs({ isNew, fields, onChange }: InputsProps) {
  const providers = useGet('GET /providers', isNew ? {} : undefined).data?.data ?? []
  return (
    <>
      {isNew && (
        <label>
          Provider
          <select
            required
            value={fields.provider}
            onChange={(event) => onChange({ provider: event.currentTarget.value })}
          >
            <option value="">Choose a provider</option>
            {providers.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {isNew ? 'Key' : 'New key (empty: keep the stored one)'}
        <input
          type="password"
          required={isNew}
          autocomplete="new-password"
          value={fields.key}
          onInput={(event) => onChange({ key: event.currentTarget.value })}
        />
      </label>
      <label>
        Display name
        <input
          autocomplete="off"
          value={fields.name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </label>
      <label>
        Priority
        <select
          value={fields.priority}
          onChange={(event) => onChange({ priority: event.currentTarget.value as ProviderFields['priority'] })}
        >
          {Object.entries(priorities).map(([priority, label]) => (
            <option key={priority} value={priority}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {!isNew && (
        <label class="check">
          <input
            type="checkbox"
            checked={fields.disabled}
            onChange={(event) => onChange({ disabled: event.currentTarget.checked })}
          />
          Disabled: stored, but not used
        </label>
      )}
    </>
  )
}
