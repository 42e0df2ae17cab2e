import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashOf } from '../accounts/keys/secret.ts'

/** The format of a session cookie: the session's id, and a secret of which only the hash is stored. */
const tokenPattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/

export const randomSecret = () => randomBytes(32).toString('base64url')

export const newSessionToken = (id: string) => `${id}.${randomSecret()}`

/** Returns the session id in a token; undefined for an invalid token. */
export const sessionIdOf = (token: string): string | undefined => tokenPattern.exec(token)?.[1]

/** Creates the token of a sign-in link. */
export const newLinkToken = randomSecret

/** The hash by which a token is stored. */
export const tokenHash = hashOf

/**
 * Returns the CSRF token that the console sends with each write. It is derived from the cookie's secret, which scripts
 * cannot read, so that it need not be stored.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url')
}

/** Compares two texts in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(one), 'hex'), Buffer.from(hashOf(other), 'hex'))
}
