import { useState } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import { useMe } from '../api/session.ts'
import type { ProviderCredential } from '../api/types.ts'
import { Listing, usePage } from '../components/listing.tsx'
import { Nothing } from '../components/page-states.tsx'
import { Ago } from '../components/timestamp.tsx'
import { mayManage } from './permissions.ts'
import { whenOf, whens } from './provider-fields.ts'
import { StoreProvider } from './provider-key-dialog.tsx'
import { useWorkspace, WhichWorkspace } from './workspace-select.tsx'

/** The keys of providers that a workspace brought; they come before the operator's. */
export function Providers() {
  const workspace = useWorkspace()
  const resource = useGet('GET /byok', { query: { ...usePage(), ...workspace } })
  const [open, setOpen] = useState<ProviderCredential | 'new'>()
  const mayStore = mayManage(useMe())
  const close = () => setOpen(undefined)
  return (
    <>
      {!resource.failure && (
        <p class="does">
          {mayStore && (
            <button type="button" onClick={() => setOpen('new')}>
              Add provider key
            </button>
          )}
          <WhichWorkspace />
        </p>
      )}
      <Listing
        resource={resource}
        label="Provider keys"
        heads={['provider', 'name', 'key', 'used for', 'priority', 'added', ...(mayStore ? [''] : [])]}
        empty={
          <Nothing title="No provider keys">
            <p>Requests use the keys that the operator set in the environment.</p>
          </Nothing>
        }
        row={(credential) => (
          <ProviderRow key={credential.id} of={credential} onChange={mayStore && (() => setOpen(credential))} />
        )}
      />
      {open === 'new' && <StoreProvider workspace={workspace} onStored={resource.reload} onClose={close} />}
      {open && open !== 'new' && <StoreProvider of={open} onStored={resource.reload} onClose={close} />}
    </>
  )
}

function ProviderRow({ of: credential, onChange }: { of: ProviderCredential; onChange: false | (() => void) }) {
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
      <td data-head="used for">{forWhom(credential)}</td>
      <td data-head="priority">{whens[whenOf(credential)]}</td>
      <td data-head="added">
        <Ago time={created_at} />
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

function forWhom({ allowed_models, allowed_user_ids, allowed_api_key_hashes }: ProviderCredential): string {
  const some = [
    allowed_models?.join(', '),
    allowed_user_ids && `${allowed_user_ids.length} members`,
    allowed_api_key_hashes && `${allowed_api_key_hashes.length} keys`,
  ].filter(Boolean)
  return some.length === 0 ? 'everything' : some.join(' · ')
}
