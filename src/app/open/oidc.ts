import { createOidcClient, type OidcClient } from '#identity/sign-in/oidc-client.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import { createWarning, type OpenContext } from './parts.ts'

/**
 * Opens the client of the issuer, and checks in the background that the issuer's metadata names the issuer of the settings.
 * @throws UserFacingError if the settings name an issuer but no client id.
 */
export function openOidc(context: Pick<OpenContext, 'parts'>): OidcClient | undefined {
  const { config, now } = context.parts
  const { oidc_issuer, oidc_client_id } = config
  if (oidc_issuer === undefined) return undefined
  if (oidc_client_id === undefined) {
    throw new UserFacingError(
      'The setting oidc_issuer needs oidc_client_id: the id that this service has at the issuer.',
    )
  }
  const onError = createWarning(context, 'a sign-in by OpenID Connect failed')
  const client = createOidcClient(
    { ...config, oidc_issuer, oidc_client_id },
    { now, fetch: createOutgoingFetch(config), onError },
  )
  setImmediate(client.checkIssuer)
  return client
}
