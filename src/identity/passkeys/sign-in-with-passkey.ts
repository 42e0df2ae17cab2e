import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import { type Browser, type NewSession, type SignInDeps, startSession } from '../sign-in/sign-in.ts'
import { requireSessionOwner } from '../sign-in/sign-in-links.ts'
import { userHandleOf } from './add-passkey.ts'
import { challengeMs, consumeChallenge, readChallenge, storeChallenge } from './challenges.ts'
import { findPasskeyByCredential, type PasskeyRow, updatePasskeyRow } from './passkey-rows.ts'
import type { RelyingParty } from './relying-party.ts'

/** Creates the options with which a browser signs in, for any member: the authenticator lists its passkeys. */
export async function passkeySignInOptions(
  deps: { db: Db; now: Now },
  relyingParty: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const options = await lazyModules.simpleWebAuthn().generateAuthenticationOptions({
    rpID: relyingParty.id,
    userVerification: 'required',
    timeout: challengeMs,
  })
  await storeChallenge(deps, options.challenge, null)
  return options
}

/** @throws Fault `unauthenticated`, with the same message for every reason; `forbidden` for a member without a workspace. */
export async function signInWithPasskey(
  deps: SignInDeps,
  response: AuthenticationResponseJSON,
  relyingParty: RelyingParty,
  browser: Browser,
): Promise<NewSession> {
  const passkey = await findPasskeyByCredential(deps.db.query, response.id)
  if (passkey === undefined || passkey.relying_party !== relyingParty.id) throw signInFault()
  const { challenge, counter } = await verifySignature(passkey, response, relyingParty)
  const { organization_id, user_id } = passkey
  return deps.db.exclusively(accountsLock(organization_id), async (tx, publish) => {
    if (!(await consumeChallenge(tx, deps.now, challenge, null))) throw signInFault()
    // Another request with the same passkey may have been completed since it was read. An authenticator without a counter sends 0.
    const current = await findPasskeyByCredential(tx, response.id)
    if (current?.id !== passkey.id || (counter > 0 && counter <= current.signatures)) throw signInFault()
    await updatePasskeyRow(tx, passkey.id, { signatures: counter, last_used_at: deps.now() })
    const owner = await requireSessionOwner(tx, organization_id, user_id)
    return startSession(deps, tx, publish, { ...owner, method: 'passkey', passkeyId: passkey.id }, browser)
  })
}

async function verifySignature(
  { credential_id, public_key, signatures, user_id }: PasskeyRow,
  response: AuthenticationResponseJSON,
  { id, origin }: RelyingParty,
): Promise<{ challenge: string; counter: number }> {
  const challenge = readChallenge(response.response.clientDataJSON)
  if (challenge === undefined || response.response.userHandle !== userHandleOf(user_id)) throw signInFault()
  const publicKey = new Uint8Array(Buffer.from(public_key, 'base64url'))
  const verified = await lazyModules
    .simpleWebAuthn()
    .verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      credential: { id: credential_id, publicKey, counter: signatures },
      requireUserVerification: true,
    })
    .catch(() => undefined)
  if (!verified?.verified) throw signInFault()
  return { challenge, counter: verified.authenticationInfo.newCounter }
}

const signInFault = () =>
  new Fault(
    'unauthenticated',
    'This passkey cannot sign in: it is unknown or was deleted, or the attempt took too long. Try again, or ask an administrator for a sign-in link.',
  )
