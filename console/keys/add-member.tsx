import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useSession } from '../api/session.ts'
import type { Member } from '../api/types.ts'
import { Dialog } from '../components/dialog.tsx'
import { Problem } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { useAction } from '../components/use-action.ts'
import { assignableRoles } from './permissions.ts'

/** The permissions of each role. */
const says: Record<Member['access'], string> = {
  owner: 'everything',
  admin: 'all permissions except owners and management keys',
  developer: 'models, own keys and own interns',
  member: 'the same, and all requests of the workspace',
  viewer: 'read access',
}

/** Adds a member to the organization. */
export function AddMember({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [access, setRole] = useState<Member['access']>('developer')
  const { problem, isBusy, act } = useAction()
  const submit = (event: Event) => {
    event.preventDefault()
    void act(async () => {
      await call('POST /organization/members', { body: { name: name.trim(), email: email.trim(), access } })
      onAdded()
      onClose()
      toast(`${name.trim()} added`)
    })
  }
  return (
    <Dialog title="Add member" onClose={onClose}>
      <h2>Add member</h2>
      <form class="fields" onSubmit={submit}>
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
          Role
          <select value={access} onChange={(event) => setRole(event.currentTarget.value as Member['access'])}>
            {assignableRoles(useSession()).map((one) => (
              <option key={one} value={one}>
                {one}: {says[one]}
              </option>
            ))}
          </select>
        </label>
        <Problem text={problem} />
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Add
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
