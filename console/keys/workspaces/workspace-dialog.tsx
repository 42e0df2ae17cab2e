import { type CallOptions, call, ifUnchanged } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import type { Workspace, WorkspacePatch } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Conflict } from '../../components/form/conflict.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useObjectForm } from '../../components/form/object-form.ts'
import { runOrToast, useAction } from '../../components/form/use-action.ts'
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
  const { before, fields, setFields, saveIfUnmodified, conflict } = form
  const { problem, isBusy, onSubmit } = useAction()
  const title = workspace ? `Change ${workspace.name}` : 'Create workspace'
  const patch = workspacePatch(before, fields)
  const reportChange = () => {
    invalidate('/workspaces')
    onChanged()
  }
  const save = async (body: WorkspacePatch, options: CallOptions) => {
    const { data } = await call('PATCH /workspaces/{id}', { params, body }, options)
    reportChange()
    return data
  }
  const submit = onSubmit(async () => {
    if (workspace) {
      const isSaved = await saveIfUnmodified(async (options) => {
        const after = await save(patch, options)
        const undoPatch = workspacePatch(fields, before)
        const undo = () => void runOrToast(() => save(undoPatch, ifUnchanged(after)))
        toast(`${workspace.name} updated`, { undo })
      })
      if (!isSaved) return
    } else {
      await call('POST /workspaces', { body: parseWorkspaceFields(fields) })
      reportChange()
      toast(`${fields.name.trim()} created`)
    }
    onClose()
  })
  const remove = async () => {
    await call('DELETE /workspaces/{id}', { params })
    reportChange()
    onClose()
    toast(`${workspace?.name} deleted`)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <form class="fields" onSubmit={submit} autocomplete="off">
        <NameInputs isNew={!workspace} fields={fields} onChange={(part) => setFields({ ...fields, ...part })} />
        <StorageInputs
          workspaceId={workspace?.id}
          fields={fields}
          onChange={(part) => setFields({ ...fields, ...part })}
        />
        {conflict && <Conflict name={workspace?.name} {...conflict} />}
        <FormActions
          problem={problem}
          label={workspace ? 'Save' : 'Create'}
          disabled={isBusy || conflict !== undefined || (workspace && Object.keys(patch).length === 0)}
          onClose={onClose}
        />
      </form>
      {workspace && <ConfirmDeleteByName name={workspace.name} verb="delete" onConfirm={remove} />}
    </Dialog>
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
