import { useGet } from '../../api/resource.ts'
import { canSeeService } from '../../api/session.ts'

/** Says that no provider has a credential, so that only the demo model can answer. Renders nothing otherwise. */
export function NoCredentials() {
  const { data } = useGet('GET /catalogue', canSeeService() ? {} : undefined)
  const providers = data?.data.providers.filter(({ models }) => models > 0) ?? []
  const hasCredential = providers.some(
    ({ missing, credential_variables }) => missing.length === 0 && credential_variables.length > 0,
  )
  // A self-hosted model server may need no credential.
  if (hasCredential || providers.every(({ missing }) => missing.length === 0)) return null
  return (
    <p class="notice" role="status">
      No provider has a credential yet, so only the demo model can answer. <a href="/service">Set up a provider</a>.
    </p>
  )
}
