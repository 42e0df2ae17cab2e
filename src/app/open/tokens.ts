import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import { createTokenVerifier } from '#identity/tokens/token-verifier.ts'
import { createTokens, type Tokens } from '#identity/tokens/tokens.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import { createJwtGuardrails } from '#policy/guardrails/jwt-guardrails.ts'
import { createWarning, type OpenContext } from './parts.ts'

type TokenParts = { db: Db; keys: KeyCache; guardrailCache: GuardrailCache }

/**
 * Opens what accepts JSON Web Tokens instead of API keys. Undefined unless the settings name an issuer.
 * @throws UserFacingError if the settings name an issuer but no audience.
 */
export function openTokens(context: OpenContext, { db, keys, guardrailCache }: TokenParts): Tokens | undefined {
  const { config, now, newId } = context.parts
  const { jwt_issuer, jwt_audience } = config
  if (jwt_issuer === undefined) return undefined
  if (jwt_audience === undefined) {
    throw new UserFacingError('The setting jwt_issuer needs jwt_audience: the audience of tokens for this service.')
  }
  const onError = createWarning(context, 'tokens of the issuer cannot be checked')
  const verifier = createTokenVerifier(
    { ...config, jwt_issuer, jwt_audience },
    { now, fetch: createOutgoingFetch(config), onError },
  )
  const guardrails = createJwtGuardrails({ db, now, newId, guardrailCache })
  return createTokens({ db, now, newId, keys, verifier, guardrails, settings: config })
}
