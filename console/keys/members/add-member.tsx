import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { currentSession, isManagerRole } from '../../api/session.ts'
import type { Member } from '../../api/types.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { assignableRoles } from '../permissions.ts'
import { defaultRoleOf, type JoinedWorkspaces, JoinedWorkspacesField } from './joined-workspaces.tsx'
import { createLink, type Link } from './sign-in-link.tsx'

/** The permissions of each role. */
const accessLabels: Record<Member['access'], string> = {
  owner: 'everything',
  admin: 'all permissions except owners and management keys',
  developer: 'models, own keys and own interns',
  member: 'like developer; its keys see the requests of their whole workspace',
  viewer: 'read access',
}

type Props = { onAdded: () => void; onLink: (...link: Link) => void; onClose: () => void }

/** A dialog that adds a member to the organization and to workspaces, with an invitation link. */
export function AddMember({ onAdded, onLink, onClose }: Props) {
  const session = currentSession()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [access, setAccess] = useState<Member['access']>('developer')
  const [joined, setJoined] = useState<JoinedWorkspaces>(session ? { [session.workspace.id]: 'developer' } : {})
  const [isInvited, setInvited] = useState(true)
  const chooseRole = (next: Member['access']) => {
    setAccess(next)
    setJoined(Object.fromEntries(Object.keys(joined).map((id) => [id, defaultRoleOf(next)])))
  }
  const submit = async () => {
    const workspaces = Object.entries(joined).map(([workspace, role]) => ({ workspace, access: role }))
    const body = {
      name: name.trim(),
      email: email.trim(),
      access,
      workspaces: isManagerRole(access) ? undefined : workspaces,
    }
    const { data } = await call('POST /organization/members', { body })
    onAdded()
    onClose()
    toast(`${body.name} added`)
    if (isInvited) await runOrToast(async () => onLink(...(await createLink({ id: data.id, name: body.name }))))
  }
  return (
    <FormDialog title="Add member" label="Add" onSubmit={submit} onClose={onClose}>
      <label>
        Name
        <input required autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        Email address
        <input
          required
          type="email"
          autocomplete="off"
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </label>
      <label>
        Role in the organization
        <select value={access} onChange={(event) => chooseRole(event.currentTarget.value as Member['access'])}>
          {assignableRoles(session).map((one) => (
            <option key={one} value={one}>
              {one}: {accessLabels[one]}
            </option>
          ))}
        </select>
      </label>
      <JoinedWorkspacesField role={access} workspaces={joined} onChange={setJoined} />
      <label class="check">
        <input type="checkbox" checked={isInvited} onChange={(event) => setInvited(event.currentTarget.checked)} />
        Create an invitation link, which signs them in once within 15 minutes
      </label>
    </FormDialog>
  )
}
