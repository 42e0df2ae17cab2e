import { useState } from 'preact/hooks'
import { useGet } from '../../api/resource.ts'
import { currentSession } from '../../api/session.ts'
import type { ProviderCredential } from '../../api/types.ts'
import { EmptyState } from '../../components/page/page-states.tsx'
import { Listing, usePage } from '../../components/table/listing.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { canManageWorkspace } from '../permissions.ts'
import { useWorkspaceFilter, WorkspaceSelect } from '../workspace-select.tsx'
import { priorities, priorityOf, restrictionsOf } from './provider-fields.ts'
import { ProviderKeyDialog } from './provider-key-dialog.tsx'

/** The provider keys of a workspace. */
export function ProviderKeys() {
  const workspace = useWorkspaceFilter()
  const resource = useGet('GET /byok', { query: { ...usePage(), ...workspace } })
  const [open, setOpen] = useState<ProviderCredential | 'new'>()
  const canStore = canManageWorkspace(currentSession())
  const close = () => setOpen(undefined)
  return (
    <>
      {!resource.failure && (
        <p class="toolbar">
          {canStore && (
            <button type="button" onClick={() => setOpen('new')}>
              Add provider key
            </button>
          )}
          <WorkspaceSelect />
        </p>
      )}
      <Listing
        resource={resource}
        label="Provider keys"
        heads={['provider', 'name', 'key', 'used for', 'priority', 'added', ...(canStore ? [''] : [])]}
        empty={
          <EmptyState title="No provider keys">
            <p>Requests use the keys that the operator set in the environment.</p>
          </EmptyState>
        }
        row={(credential) => (
          <ProviderRow key={credential.id} credential={credential} onChange={canStore && (() => setOpen(credential))} />
        )}
      />
      {open === 'new' && <ProviderKeyDialog workspace={workspace} onStored={resource.reload} onClose={close} />}
      {open && open !== 'new' && <ProviderKeyDialog credential={open} onStored={resource.reload} onClose={close} />}
    </>
  )
}

function ProviderRow({ credential, onChange }: { credential: ProviderCredential; onChange: false | (() => void) }) {
  const { provider, name, label, disabled, created_at } = credential
  return (
    <tr class={disabled ? 'dim' : undefined}>
      <th scope="row">
        {disabled && (
          <span class="mark bad">
            <span class="dot bad" />
            disabled{' '}
          </span>
        )}
        {provider}
      </th>
      <td data-head="name">{name ?? '–'}</td>
      <td data-head="key" class="mono">
        {label}
      </td>
      <td data-head="used for">{restrictionsOf(credential)}</td>
      <td data-head="priority">{priorities[priorityOf(credential)]}</td>
      <td data-head="added">
        <RelativeTime time={created_at} />
      </td>
      {onChange && (
        <td class="number">
          <button type="button" aria-label={`Change ${name || provider}`} onClick={onChange}>
            Change
          </button>
        </td>
      )}
    </tr>
  )
}
