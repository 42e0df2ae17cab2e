import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import type { Caller } from '../accounts/caller.ts'
import { findMember } from '../accounts/members/members.ts'
import { recordChange } from '../audit/audit.ts'
import { challengeMs, consumeChallenge, readChallenge, storeChallenge } from './challenges.ts'
import { findPasskeyByCredential, findPasskeysOfMember, insertPasskey, type PasskeyRow } from './passkey-rows.ts'
import type { RelyingParty } from './relying-party.ts'

type PasskeyDeps = { db: Db; now: Now; newId: NewId }

/** The user handle that an authenticator stores and returns at a sign-in. */
export const userHandleOf = (userId: string) => Buffer.from(userId).toString('base64url')

const maxPasskeys = 20

/** The COSE numbers of EdDSA, ES256 and RS256. Every authenticator supports one of them. */
const algorithms = [-8, -7, -257]

/** Creates the options with which the browser of a member creates a passkey. */
export async function createRegistrationOptions(
  deps: Omit<PasskeyDeps, 'newId'>,
  { organizationId, userId }: Pick<Caller, 'organizationId' | 'userId'>,
  relyingParty: RelyingParty,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const member = await findMember(deps.db.query, organizationId, userId)
  if (!member) throw new Fault('forbidden', 'Only members of the organization have passkeys.')
  const existing = await findPasskeysOfMember(deps.db.query, organizationId, userId)
  const options = await lazyModules.simpleWebAuthn().generateRegistrationOptions({
    rpName: 'Signalbox',
    rpID: relyingParty.id,
    userID: new Uint8Array(Buffer.from(userId)),
    userName: member.email,
    userDisplayName: member.name,
    timeout: challengeMs,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: existing.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await storeChallenge(deps, options.challenge, userId)
  return options
}

/** @throws Fault `invalid` if the browser's response does not match the options; `conflict` for an existing passkey. */
export async function addPasskey(
  deps: PasskeyDeps,
  caller: Caller,
  relyingParty: RelyingParty,
  { name, response }: { name: string; response: RegistrationResponseJSON },
): Promise<PasskeyRow> {
  const { organizationId, userId } = caller
  const { challenge, credential } = await verifyRegistration(response, relyingParty)
  return deps.db.exclusively(accountsLock(organizationId), async (tx) => {
    if (!(await consumeChallenge(tx, deps.now, challenge, userId))) throw registrationFault()
    if ((await findPasskeysOfMember(tx, organizationId, userId)).length >= maxPasskeys) {
      throw new Fault('conflict', `A member has at most ${maxPasskeys} passkeys. Delete one that is no longer used.`)
    }
    if (await findPasskeyByCredential(tx, credential.id)) throw new Fault('conflict', 'This passkey was already added.')
    const row: PasskeyRow = {
      id: deps.newId(),
      organization_id: organizationId,
      user_id: userId,
      name,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      relying_party: relyingParty.id,
      signatures: credential.counter,
      created_at: deps.now(),
      last_used_at: null,
    }
    await insertPasskey(tx, row)
    const auditedPasskey = { user_id: userId, name, relying_party: relyingParty.id }
    await recordChange(deps, tx, caller, {
      action: 'passkey.created',
      targetKind: 'passkey',
      targetId: row.id,
      before: null,
      after: auditedPasskey,
    })
    return row
  })
}

async function verifyRegistration(response: RegistrationResponseJSON, { id, origin }: RelyingParty) {
  const challenge = readChallenge(response.response.clientDataJSON)
  if (challenge === undefined) throw registrationFault()
  const verified = await lazyModules
    .simpleWebAuthn()
    .verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    .catch(() => undefined)
  if (!verified?.verified || verified.registrationInfo.credential.id !== response.id) throw registrationFault()
  return { challenge, credential: verified.registrationInfo.credential }
}

const registrationFault = () =>
  new Fault('invalid', 'Invalid request: response: does not match the options, or they were used or have expired.')
