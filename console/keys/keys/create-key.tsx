import { useState } from 'preact/hooks'
import { currentSession, showsAllWorkspaces } from '../../api/session.ts'
import type { NewKey } from '../../api/types.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { ModelPicker } from '../../components/form/model-picker.tsx'
import { MemberInput } from '../members/member-input.tsx'
import { canManageWorkspace } from '../permissions.ts'
import { createKeyWithModels } from './create-key-with-models.ts'
import { emptyFields, parseFields } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'

type KeyKind = NonNullable<NewKey['kind']>

type Props = {
  /** The ID of the workspace that is initially selected. */
  initialWorkspaceId: string
  onCreated: (name: string, secret: string) => void
  onClose: () => void
}

/** A dialog that creates a key with its workspace, owner, limit, models and expiry. */
export function CreateKey({ initialWorkspaceId, onCreated, onClose }: Props) {
  const [fields, setFields] = useState(emptyFields)
  const [workspaceId, setWorkspaceId] = useState(initialWorkspaceId)
  const [kind, setKind] = useState<KeyKind>('api')
  const [owner, setOwner] = useState('')
  const [models, setModels] = useState<string[]>([])
  const session = currentSession()
  const submit = async () => {
    const { disabled: _, ...newFields } = parseFields(fields)
    // The service accepts the ID of a member or the email address.
    const creator_user_id = owner.trim() || undefined
    const body: NewKey = { ...newFields, kind, creator_user_id, workspace_id: workspaceId }
    const secret = await createKeyWithModels(body, kind === 'api' ? models : [])
    onCreated(body.name, secret)
  }
  return (
    <FormDialog title="Create key" label="Create" onSubmit={submit} onClose={onClose}>
      <KeyInputs fields={fields} onChange={(change) => setFields({ ...fields, ...change })} hasLimits>
        <WorkspaceField value={workspaceId} onChange={setWorkspaceId} />
      </KeyInputs>
      {canManageWorkspace(session) && (
        <>
          {kind === 'api' && <ModelPicker label="Models (none: all allowed)" models={models} onChange={setModels} />}
          <MemberInput label="Owner (empty: you)" value={owner} onChange={setOwner} placeholder="Email address" />
        </>
      )}
      {session?.role === 'owner' && <KindField value={kind} onChange={setKind} />}
    </FormDialog>
  )
}

/** A select for the workspace of the key, on a page of all workspaces. */
function WorkspaceField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const session = currentSession()
  if (!session || !showsAllWorkspaces(session) || session.workspaces.length < 2) return null
  return (
    <label>
      Workspace
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {session.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function KindField({ value, onChange }: { value: KeyKind; onChange: (kind: KeyKind) => void }) {
  return (
    <label>
      Kind
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as KeyKind)}>
        <option value="api">Model requests</option>
        <option value="management">Management, with all permissions of an owner</option>
      </select>
    </label>
  )
}
