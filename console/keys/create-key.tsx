import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useAllRows } from '../api/pages.ts'
import { useSession } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { Problem } from '../components/problem.tsx'
import { useAction } from '../components/use-action.ts'
import { emptyFields, parseFields } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'
import { nameOfMember } from './member-name.ts'
import { canManageWorkspace } from './permissions.ts'

type Props = {
  /** The workspace of the key. Defaults to the session's workspace. */
  workspace: { workspace_id?: string }
  onCreated: (name: string, secret: string) => void
  onClose: () => void
}

/** Creates a key. Managers can create keys for other members. */
export function CreateKey({ workspace, onCreated, onClose }: Props) {
  const [fields, setFields] = useState(emptyFields)
  const [kind, setKind] = useState<'api' | 'management'>('api')
  const [ownerId, setOwnerId] = useState('')
  const { problem, isBusy, act } = useAction()
  const me = useSession()
  const submit = (event: Event) => {
    event.preventDefault()
    const { disabled: _, ...body } = parseFields(fields)
    const forOther = ownerId !== '' && { creator_user_id: ownerId }
    void act(async () =>
      onCreated(body.name, (await call('POST /keys', { body: { ...body, kind, ...forOther, ...workspace } })).key),
    )
  }
  return (
    <Dialog title="Create key" onClose={onClose}>
      <h2>Create key</h2>
      <form class="fields" onSubmit={submit}>
        <KeyInputs fields={fields} set={(change) => setFields({ ...fields, ...change })} onlyName={false} />
        {canManageWorkspace(me) && <OwnerSelect me={me.member.id} ownerId={ownerId} choose={setOwnerId} />}
        {me?.role === 'owner' && (
          <label>
            Permissions
            <select
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value === 'api' ? 'api' : 'management')}
            >
              <option value="api">Model requests</option>
              <option value="management">Management, with all permissions of an owner</option>
            </select>
          </label>
        )}
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Create
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Selects the member to whom the requests of the key belong. */
function OwnerSelect({ me, ownerId, choose }: { me: string; ownerId: string; choose: (id: string) => void }) {
  const members = useAllRows('GET /organization/members', {}).data ?? []
  return (
    <label>
      Owner
      <select value={ownerId} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">You</option>
        {members
          .filter(({ id }) => id !== me)
          .map((member) => (
            <option key={member.id} value={member.id}>
              {nameOfMember(member)}
            </option>
          ))}
      </select>
    </label>
  )
}
