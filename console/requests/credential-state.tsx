import { useGet } from '../api/resource.ts'
import { canManage, canSeeService } from '../api/session.ts'
import { credentialNote } from './credential-note.ts'

/** The maximum number of providers listed. */
const maxListed = 8

/** Says which providers have a credential; without any, what to do. */
export function CredentialState() {
  const catalogue = useGet('GET /catalogue', canSeeService() ? {} : undefined)
  const storedKeys = useGet('GET /byok', canManage() ? { query: { limit: 100 } } : undefined)
  if (!canSeeService()) {
    return <p class="dim">Models can be used after an owner or admin adds a credential.</p>
  }
  if (!catalogue.data || (canManage() && !storedKeys.data)) return null
  const slugs = storedKeys.data?.data.filter(({ disabled }) => !disabled).map(({ provider }) => provider) ?? []
  const { ready, first } = credentialNote(catalogue.data.data.providers, slugs)
  if (ready.length === 0) return <NoCredential first={first} />
  const more = ready.length > maxListed ? ` and ${ready.length - maxListed} more` : ''
  return (
    <p class="dim">
      Providers with a credential: {ready.slice(0, maxListed).join(', ')}
      {more}. <a href="/service">All providers</a>
    </p>
  )
}

function NoCredential({ first }: Pick<ReturnType<typeof credentialNote>, 'first'>) {
  return (
    <p class="notice" role="status">
      No provider has a credential yet, so only the demo model can answer.{' '}
      {first && (
        <>
          To use {first.name}, set <code>{first.missing.join(', ')}</code> in the environment and restart.{' '}
        </>
      )}
      {canManage() && (
        <>
          Or <a href="/keys/providers">add a provider key</a>.{' '}
        </>
      )}
      <a href="/service">All providers</a>
    </p>
  )
}
