import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { Fault } from '#platform/core/fault.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { createIssuerKeys, type IssuerKeySettings } from './issuer-keys.ts'

export type TokenSettings = IssuerKeySettings & { jwt_audience: string }

/** Signatures with the private key of the issuer. A shared secret (HS256) could be the public key of the issuer. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** The longest token, as the token endpoints of other services limit it. */
const maxCharacters = 16 * 1024

/** The tolerated difference between the clocks of the issuer and this service, in seconds. */
const toleranceSeconds = 5

const shape = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** Whether a credential has the form of a JSON Web Token. */
export const isToken = (secret: string) => shape.test(secret)

export type VerifiedToken = { claims: JWTPayload; expiresAt: number }

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
      refuseEarly(token, issuer)
      const options = { issuer, audience, algorithms, requiredClaims: ['exp'], clockTolerance: toleranceSeconds }
      const { claims } = await verified(token, keys.find, { ...options, currentDate: new Date(deps.now()) })
      return { claims, expiresAt: (claims.exp! + toleranceSeconds) * 1000 }
    },
  }
}

/** Refuses tokens of others before a key of the issuer is looked up, so that they cause no request to the issuer. */
function refuseEarly(token: string, issuer: string): void {
  if (token.length > maxCharacters) throw notAccepted(`it is longer than ${maxCharacters} characters`)
  const { decodeJwt, decodeProtectedHeader } = lazyModules.jose()
  const [alg, iss] = decoded(() => [decodeProtectedHeader(token).alg, decodeJwt(token).iss])
  if (typeof alg !== 'string' || !algorithms.includes(alg)) throw notAccepted('its algorithm ("alg") is not allowed')
  if (iss !== issuer) throw notAccepted('it is from another issuer ("iss")')
}

function decoded<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw notAccepted('it is malformed')
  }
}

type VerifyOptions = NonNullable<Parameters<typeof import('jose').jwtVerify>[2]>

async function verified(token: string, findKey: JWTVerifyGetKey, options: VerifyOptions) {
  try {
    const { payload } = await lazyModules.jose().jwtVerify(token, findKey, options)
    return { claims: payload }
  } catch (error) {
    if (error instanceof Fault) throw error
    const { code = '', claim } = error as { code?: string; claim?: string }
    if (code === 'ERR_JWT_EXPIRED') throw notAccepted('it has expired')
    if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') throw notAccepted(`its claim "${claim}" is missing or wrong`)
    throw notAccepted('its signature does not match a key of the issuer')
  }
}

export const notAccepted = (reason: string) => new Fault('unauthenticated', `Invalid token: ${reason}.`)
