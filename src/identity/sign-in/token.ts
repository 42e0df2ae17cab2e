import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashOf } from '../accounts/keys/secret.ts'

/** What the cookie of a session holds: the session's id, and a secret of which only the hash is stored. */
const form = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/

const fresh = () => randomBytes(32).toString('base64url')

export const newSessionToken = (id: string) => `${id}.${fresh()}`

/** The id that a token names; undefined for what is no token. */
export const sessionIdIn = (token: string): string | undefined => form.exec(token)?.[1]

/** What a link that signs in carries. */
export const newLinkToken = fresh

/** By which a token is known in the database. */
export const tokenHash = hashOf

/**
 * What the session's own pages send with each write. It follows from the cookie's secret, which no script can read, so
 * that nothing more is stored.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url')
}

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(one), 'hex'), Buffer.from(hashOf(other), 'hex'))
}
