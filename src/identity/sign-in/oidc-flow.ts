import { createHmac } from 'node:crypto'
import { randomSecret } from './session-tokens.ts'

/** Creates the secret of one sign-in at the issuer. It is stored only in the browser's cookie. */
export const newFlowSecret = randomSecret

/** Derives state, nonce and PKCE verifier from the secret, so that no server has to store them. */
export function deriveFlow(secret: string): { state: string; nonce: string; verifier: string } {
  const derive = (name: string) => createHmac('sha256', secret).update(name).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}
