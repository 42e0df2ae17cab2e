import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useEvery } from '../api/pages.ts'
import { useMe } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { Problem } from '../components/problem.tsx'
import { useActing } from '../components/use-action.ts'
import { emptyFields, meant } from './key-fields.ts'
import { KeyInputs } from './key-inputs.tsx'
import { nameOfMember } from './member-name.ts'
import { mayManage } from './permissions.ts'

type Props = {
  /** Where it is to be; the session's own unless told. */
  workspace: { workspace_id?: string }
  onMade: (name: string, secret: string) => void
  onClose: () => void
}

/** Makes a key for oneself, or, who manages the organization, for somebody else. */
export function MakeKey({ workspace, onMade, onClose }: Props) {
  const [fields, setFields] = useState(emptyFields)
  const [kind, setKind] = useState<'api' | 'management'>('api')
  const [whose, setWhose] = useState('')
  const { problem, isBusy, act } = useActing()
  const me = useMe()
  const submit = (event: Event) => {
    event.preventDefault()
    const { disabled: _, ...body } = meant(fields)
    const forOther = whose !== '' && { creator_user_id: whose }
    void act(async () =>
      onMade(body.name, (await call('POST /keys', { body: { ...body, kind, ...forOther, ...workspace } })).key),
    )
  }
  return (
    <Dialog title="Create key" onClose={onClose}>
      <h2>Create key</h2>
      <form class="fields" onSubmit={submit}>
        <KeyInputs fields={fields} set={(change) => setFields({ ...fields, ...change })} onlyName={false} />
        {mayManage(me) && <Whose me={me.member.id} whose={whose} choose={setWhose} />}
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

/** Whose requests they are that are made with it. */
function Whose({ me, whose, choose }: { me: string; whose: string; choose: (id: string) => void }) {
  const members = useEvery('GET /organization/members', {}).data ?? []
  return (
    <label>
      Owner
      <select value={whose} onChange={(event) => choose(event.currentTarget.value)}>
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
