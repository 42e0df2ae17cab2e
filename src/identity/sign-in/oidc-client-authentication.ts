import type { ClientAuth } from 'openid-client'
import { clientSecretMethods } from '#platform/core/vocabulary.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'

type SecretMethod = (typeof clientSecretMethods)[number]

const isSecretMethod = (method: unknown): method is SecretMethod => clientSecretMethods.includes(method as SecretMethod)

/** How the client secret is sent to the issuer; `auto` follows the issuer's description. */
export type TokenAuthMethod = 'auto' | SecretMethod

/** Authenticates this service at the issuer's token endpoint. */
export function clientAuthentication({
  oidc_client_secret: secret,
  oidc_token_auth_method: setting,
}: {
  oidc_client_secret?: string | undefined
  oidc_token_auth_method: TokenAuthMethod
}): ClientAuth {
  const { ClientSecretBasic, ClientSecretJwt, ClientSecretPost, None } = lazyModules.openIdClient()
  if (secret === undefined) return None()
  const byMethod: Record<SecretMethod, ClientAuth> = {
    client_secret_basic: ClientSecretBasic(secret),
    client_secret_post: ClientSecretPost(secret),
    client_secret_jwt: ClientSecretJwt(secret),
  }
  return (server, ...request) => {
    const method = setting === 'auto' ? preferredMethod(server.token_endpoint_auth_methods_supported) : setting
    return byMethod[method](server, ...request)
  }
}

/**
 * Returns the first listed method that sends the secret. `client_secret_jwt` is only the last resort, because many issuers
 * require a registration for it. OpenID Connect Discovery defaults to `client_secret_basic`.
 */
function preferredMethod(supported: unknown): SecretMethod {
  const listed = (Array.isArray(supported) ? supported : []).filter(isSecretMethod)
  return listed.find((method) => method !== 'client_secret_jwt') ?? listed[0] ?? 'client_secret_basic'
}
