import { addressInWorkspace, workspaceInAddress } from '../../api/address/workspace-path.ts'
import { type CallOptions, call, ifUnchanged } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { reloadSession } from '../../api/session.ts'
import type { Workspace, WorkspacePatch } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { useObjectForm } from '../../components/form/object-form.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { StorageInputs } from './content-storage.tsx'
import {
  fieldsOfWorkspace,
  newWorkspace,
  parseWorkspaceFields,
  slugFor,
  type WorkspaceFields,
  workspacePatch,
} from './workspace-fields.ts'

type Props = {
  /** The workspace to change; undefined for a new one. */
  workspace?: Workspace
  onChanged: () => void
  onClose: () => void
}

/** A dialog that creates, changes or deletes a workspace. Changes can be undone. */
export function WorkspaceDialog({ workspace, onChanged, onClose }: Props) {
  // Unused for a new workspace.
  const params = { id: workspace?.id ?? '' }
  const load = async () => (await call('GET /workspaces/{id}', { params })).data as Workspace | undefined
  const form = useObjectForm(workspace, load, (read) => (read ? fieldsOfWorkspace(read) : newWorkspace))
  const { loaded, fields, setFields, saveIfUnmodified, conflict } = form
  const title = workspace ? `Change ${workspace.name}` : 'Create workspace'
  const patch = workspacePatch(loaded, fields)
  const reportChange = async (newSlug: string | undefined) => {
    // The address of a page of this workspace, and its requests, contain the slug.
    if (workspace && newSlug !== workspace.slug && workspaceInAddress() === workspace.slug)
      return location.assign(addressInWorkspace(newSlug, '/keys/workspaces'))
    invalidate('/workspaces')
    onChanged()
    await reloadSession()
  }
  const save = async (body: WorkspacePatch, options: CallOptions) => {
    const { data } = await call('PATCH /workspaces/{id}', { params, body }, options)
    await reportChange(data.slug)
    return data
  }
  const submit = async () => {
    if (workspace) {
      const isSaved = await saveIfUnmodified(async (options) => {
        const updated = await save(patch, options)
        const undoPatch = workspacePatch(fields, loaded)
        const undo = () => void runOrToast(() => save(undoPatch, ifUnchanged(updated)))
        toast(`${workspace.name} updated`, { undo })
      })
      if (!isSaved) return
    } else {
      await call('POST /workspaces', { body: parseWorkspaceFields(fields) })
      await reportChange(undefined)
      toast(`${fields.name.trim()} created`)
    }
    onClose()
  }
  const remove = async () => {
    await call('DELETE /workspaces/{id}', { params })
    await reportChange(undefined)
    onClose()
    toast(`${workspace?.name} deleted`)
  }
  return (
    <FormDialog
      title={title}
      label={workspace ? 'Save' : 'Create'}
      isDisabled={workspace && Object.keys(patch).length === 0}
      conflict={conflict && { name: workspace?.name, ...conflict }}
      onSubmit={submit}
      onClose={onClose}
      below={workspace && <ConfirmDeleteByName name={workspace.name} verb="delete" onConfirm={remove} />}
    >
      <NameInputs isNew={!workspace} fields={fields} onChange={(part) => setFields({ ...fields, ...part })} />
      <StorageInputs
        workspaceId={workspace?.id}
        fields={fields}
        onChange={(part) => setFields({ ...fields, ...part })}
      />
    </FormDialog>
  )
}

type InputsProps = { isNew: boolean; fields: WorkspaceFields; onChange: (part: Partial<WorkspaceFields>) => void }

function NameInputs({ isNew, fields: { name, slug, description }, onChange }: InputsProps) {
  const rename = (next: string) =>
    onChange({ name: next, ...(isNew && slug === slugFor(name) && { slug: slugFor(next) }) })
  return (
    <>
      <label>
        Name
        <input required maxLength={200} value={name} onInput={(event) => rename(event.currentTarget.value)} />
      </label>
      <label>
        Slug
        <input
          required
          maxLength={64}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          title="Lowercase letters and digits, separated by single hyphens"
          value={slug}
          onInput={(event) => onChange({ slug: event.currentTarget.value })}
        />
      </label>
      <label>
        Description
        <input
          maxLength={1000}
          value={description}
          onInput={(event) => onChange({ description: event.currentTarget.value })}
        />
      </label>
    </>
  )
}
