import { useState } from 'preact/hooks'
import { currentSession, showsAllWorkspaces } from '../../api/session.ts'
import type { NewKey } from '../../api/types.ts'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { ModelPicker } from '../../components/form/model-picker.tsx'
import { useAction } from '../../components/form/use-action.ts'
import { MemberInput } from '../members/member-input.tsx'
import { canManageWorkspace } from '../permissions.ts'
import { createKeyWithModels } from './create-key-with-models.ts'
import { emptyFields, parseFields } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'

type Kind = NonNullable<NewKey['kind']>

type Props = {
  /** The ID of the workspace that is selected at first. */
  workspaceId: string
  onCreated: (name: string, secret: string) => void
  onClose: () => void
}

/** Creates a key with its workspace, owner, limit, models and expiry. */
export function CreateKey({ workspaceId: firstWorkspaceId, onCreated, onClose }: Props) {
  const [fields, setFields] = useState(emptyFields)
  const [workspaceId, setWorkspaceId] = useState(firstWorkspaceId)
  const [kind, setKind] = useState<Kind>('api')
  const [owner, setOwner] = useState('')
  const [models, setModels] = useState<string[]>([])
  const { problem, isBusy, onSubmit } = useAction()
  const me = currentSession()
  const submit = onSubmit(async () => {
    const { disabled: _, ...newFields } = parseFields(fields)
    // The service accepts the ID of a member or the email address.
    const otherOwner = owner.trim() !== '' && { creator_user_id: owner.trim() }
    const body: NewKey = { ...newFields, kind, ...otherOwner, workspace_id: workspaceId }
    onCreated(body.name, await createKeyWithModels(body, kind === 'api' ? models : []))
  })
  return (
    <Dialog title="Create key" onClose={onClose}>
      <h2>Create key</h2>
      <form class="fields" onSubmit={submit}>
        <KeyInputs fields={fields} set={(change) => setFields({ ...fields, ...change })} hasLimits>
          <WorkspaceField value={workspaceId} choose={setWorkspaceId} />
        </KeyInputs>
        {canManageWorkspace(me) && (
          <>
            {kind === 'api' && <ModelPicker label="Models (none: all allowed)" models={models} choose={setModels} />}
            <MemberInput label="Owner (empty: you)" value={owner} set={setOwner} placeholder="Email address" />
          </>
        )}
        {me?.role === 'owner' && <KindField value={kind} choose={setKind} />}
        <FormActions problem={problem} label="Create" disabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** Selects the workspace of the key, on a page of all workspaces. */
function WorkspaceField({ value, choose }: { value: string; choose: (id: string) => void }) {
  const me = currentSession()
  if (!me || !showsAllWorkspaces(me) || me.workspaces.length < 2) return null
  return (
    <label>
      Workspace
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {me.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function KindField({ value, choose }: { value: Kind; choose: (kind: Kind) => void }) {
  return (
    <label>
      Permissions
      <select value={value} onChange={(event) => choose(event.currentTarget.value as Kind)}>
        <option value="api">Model requests</option>
        <option value="management">Management, with all permissions of an owner</option>
      </select>
    </label>
  )
}
