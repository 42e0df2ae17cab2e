import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { addPasskey } from '../../api/passkeys.ts'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { ListedPasskey } from '../../api/types.ts'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { EmptyState } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { deviceName } from './device-name.ts'

/** The passkeys that the session can see. Owners and admins see those of all members, others see their own. */
export function Passkeys() {
  const resource = useGet('GET /passkeys', { query: usePage() })
  const methods = useGet('GET /sessions/methods', {}).data?.data
  const [openDialog, setOpenDialog] = useState<'new' | { action: PasskeyAction; passkey: ListedPasskey }>()
  const close = () => setOpenDialog(undefined)
  const isOffered = methods?.includes('passkey')
  return (
    <>
      {!resource.failure && (
        <div class="toolbar">
          {isOffered && (
            <button type="button" onClick={() => setOpenDialog('new')}>
              Add passkey
            </button>
          )}
          {isOffered === false && (
            <p class="dim">
              Passkeys cannot be added at this address: browsers require a host name with TLS, or localhost.
            </p>
          )}
        </div>
      )}
      <Listing
        resource={resource}
        label="Passkeys"
        columns={['name', 'member', 'host', 'created', 'last used', '']}
        empty={
          <EmptyState title="No passkeys">
            <p>With a passkey you sign in with the fingerprint or PIN of a device, without a key or a link.</p>
          </EmptyState>
        }
        renderRow={(passkey) => (
          <PasskeyLine key={passkey.id} passkey={passkey} onAction={(action) => setOpenDialog({ action, passkey })} />
        )}
      />
      {openDialog === 'new' && <AddPasskey onAdded={resource.reload} onClose={close} />}
      {openDialog && openDialog !== 'new' && openDialog.action === 'rename' && (
        <RenamePasskey passkey={openDialog.passkey} onRenamed={resource.reload} onClose={close} />
      )}
      {openDialog && openDialog !== 'new' && openDialog.action === 'delete' && (
        <DeletePasskey passkey={openDialog.passkey} onDeleted={resource.reload} onClose={close} />
      )}
    </>
  )
}

type PasskeyAction = 'rename' | 'delete'
type LineProps = { passkey: ListedPasskey; onAction: (action: PasskeyAction) => void }

function PasskeyLine({ passkey, onAction }: LineProps) {
  const { name, member, relying_party, created_at, last_used_at } = passkey
  const isOwn = member.id === currentSession()?.member.id
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-head="member">
        {member.name || member.email} {isOwn && <span class="dim">you</span>}
      </td>
      <td data-head="host">{relying_party}</td>
      <td data-head="created">
        <RelativeTime time={created_at} />
      </td>
      <td data-head="last used">{last_used_at ? <RelativeTime time={last_used_at} /> : 'never'}</td>
      <td class="number">
        <button type="button" aria-label={`Rename ${name}`} onClick={() => onAction('rename')}>
          Rename
        </button>{' '}
        <button type="button" aria-label={`Delete ${name}`} onClick={() => onAction('delete')}>
          Delete
        </button>
      </td>
    </tr>
  )
}

function AddPasskey({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }) {
  const [name, setName] = useState(deviceName(navigator.userAgent))
  const submit = async () => {
    await addPasskey(name.trim())
    onAdded()
    onClose()
    toast(`Passkey ${name.trim()} added`)
  }
  return (
    <FormDialog
      title="Add passkey"
      label="Continue"
      isDisabled={name.trim() === ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameInput name={name} onChange={setName} />
      <p class="dim">Your browser asks next where to store it.</p>
    </FormDialog>
  )
}

function NameInput({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  return (
    <label>
      Name
      <input
        required
        maxLength={100}
        autocomplete="off"
        value={name}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

type RenameProps = { passkey: ListedPasskey; onRenamed: () => void; onClose: () => void }

function RenamePasskey({ passkey: { id, name: before }, onRenamed, onClose }: RenameProps) {
  const [name, setName] = useState(before)
  const submit = async () => {
    await call('PATCH /passkeys/{id}', { params: { id }, body: { name: name.trim() } })
    onRenamed()
    onClose()
  }
  return (
    <FormDialog
      title={`Rename ${before}`}
      label="Save"
      isDisabled={name.trim() === ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameInput name={name} onChange={setName} />
    </FormDialog>
  )
}

type DeleteProps = { passkey: ListedPasskey; onDeleted: () => void; onClose: () => void }

function DeletePasskey({ passkey: { id, name }, onDeleted, onClose }: DeleteProps) {
  const submit = async () => {
    const { ended_sessions } = await call('DELETE /passkeys/{id}', { params: { id } })
    onDeleted()
    onClose()
    toast(`Passkey ${name} deleted, sessions ended: ${ended_sessions}`)
  }
  return (
    <FormDialog title={`Delete ${name}`} label="Delete passkey" isRemoval onSubmit={submit} onClose={onClose}>
      <p>The passkey can no longer sign in, and its sessions end. This cannot be undone.</p>
    </FormDialog>
  )
}
