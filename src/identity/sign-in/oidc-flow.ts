import { createHmac, randomBytes } from 'node:crypto'

/** A secret for one way to the issuer and back; the browser's cookie holds it, and nobody else. */
export const newFlowSecret = () => randomBytes(32).toString('base64url')

/** Everything that must come back as it was sent follows from the secret, so that no server has to remember it. */
export function flowOf(secret: string): { state: string; nonce: string; verifier: string } {
  const part = (name: string) => createHmac('sha256', secret).update(name).digest('base64url')
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') }
}
