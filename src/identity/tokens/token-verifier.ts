import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { maxTimeMs } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { createIssuerKeys, type IssuerKeySettings } from './issuer-keys.ts'

type TokenSettings = IssuerKeySettings & { jwt_audience: string }

/** Only asymmetric algorithms. If HS256 were accepted, an attacker could sign a token with the issuer's public key as the secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** The maximum length of a token. */
const maxCharacters = 16 * 1024

/** The tolerated difference between the clocks of the issuer and this service, in seconds. */
const toleranceSeconds = 5

const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** Whether a credential has the form of a JSON Web Token. */
export const isToken = (secret: string) => tokenPattern.test(secret)

/** The claims of a token that the verifier has checked: `iss` is the configured issuer. */
export type VerifiedClaims = JWTPayload & { iss: string; exp: number }

/** The claims of a token, and the end of its validity in milliseconds since the epoch. */
export type VerifiedToken = { claims: VerifiedClaims; expiresAt: number }

export type TokenVerifier = {
  /** @throws Fault `unauthenticated` with the reason; `unavailable` if the keys of the issuer cannot be read. */
  verify: (token: string) => Promise<VerifiedToken>
}

type VerifierDeps = Parameters<typeof createIssuerKeys>[1]

export function createTokenVerifier(settings: TokenSettings, deps: VerifierDeps): TokenVerifier {
  const keys = createIssuerKeys(settings, deps)
  const { jwt_issuer: issuer, jwt_audience: audience } = settings
  return {
    async verify(token) {
      rejectForeignToken(token, issuer)
      const options = { issuer, audience, algorithms, requiredClaims: ['exp'], clockTolerance: toleranceSeconds }
      const claims = await verifyClaims(token, keys.find, { ...options, currentDate: new Date(deps.now()) })
      return { claims, expiresAt: Math.min((claims.exp + toleranceSeconds) * 1000, maxTimeMs) }
    },
  }
}

/** Rejects tokens of other issuers without a request to the issuer. */
function rejectForeignToken(token: string, issuer: string): void {
  if (token.length > maxCharacters) throw invalidTokenFault(`it is longer than ${maxCharacters} characters`)
  const { decodeJwt, decodeProtectedHeader } = lazyModules.jose()
  const { alg } = decodeOrReject(() => decodeProtectedHeader(token))
  const { iss } = decodeOrReject(() => decodeJwt(token))
  if (typeof alg !== 'string' || !algorithms.includes(alg))
    throw invalidTokenFault('its algorithm ("alg") is not allowed')
  if (iss !== issuer) throw invalidTokenFault('it is from another issuer ("iss")')
}

function decodeOrReject<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw invalidTokenFault('it is malformed')
  }
}

type VerifyOptions = NonNullable<Parameters<typeof import('jose').jwtVerify>[2]>

async function verifyClaims(token: string, findKey: JWTVerifyGetKey, options: VerifyOptions): Promise<VerifiedClaims> {
  try {
    const { payload } = await lazyModules.jose().jwtVerify<VerifiedClaims>(token, findKey, options)
    return payload
  } catch (error) {
    if (error instanceof Fault) throw error
    const { code = '', claim } = error as { code?: string; claim?: string }
    if (code === 'ERR_JWT_EXPIRED') throw invalidTokenFault('it has expired')
    if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') throw invalidTokenFault(`its claim "${claim}" is missing or wrong`)
    throw invalidTokenFault('its signature does not match a key of the issuer')
  }
}

export const invalidTokenFault = (reason: string) => new Fault('unauthenticated', `Invalid token: ${reason}.`)
