import { useGet } from '../api/resource.ts'
import type { ProviderCredential } from '../api/types.ts'
import { Nothing } from '../pieces/states.tsx'
import { Ago } from '../pieces/when.tsx'
import { Listing, usePage } from './listing.tsx'

const paste = `curl -s "$BASE_URL/byok" -H "Authorization: Bearer $MANAGEMENT_KEY" \\
  -H 'content-type: application/json' -d '{ "provider": "openai", "key": "sk-…", "name": "team" }'`

/** The keys of providers that the workspace brought; they come before the operator's. */
export function Providers() {
  const resource = useGet('GET /byok', { query: usePage() })
  return (
    <Listing
      resource={resource}
      label="Provider keys"
      heads={['provider', 'name', 'key', 'used for', 'when', 'brought']}
      empty={
        <Nothing title="The workspace brought no provider keys" paste={paste}>
          <p>Models are called with the keys that the operator set in the environment.</p>
        </Nothing>
      }
      row={(credential) => <ProviderRow key={credential.id} of={credential} />}
    />
  )
}

function ProviderRow({ of: credential }: { of: ProviderCredential }) {
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
      <td data-head="when">{whenUsed(credential)}</td>
      <td data-head="brought">
        <Ago time={created_at} />
      </td>
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

function whenUsed({ is_fallback, is_required, is_byok_only }: ProviderCredential): string {
  if (is_byok_only) return 'no other provider'
  if (is_required) return 'instead of the operator’s'
  return is_fallback ? 'after the operator’s' : 'before the operator’s'
}
