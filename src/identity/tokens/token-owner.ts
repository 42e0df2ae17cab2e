import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import { isMember, resolveUserId } from '../accounts/members/members.ts'
import { findOrganizationId } from '../accounts/organizations.ts'
import { readClaim } from '../sign-in/oidc-person.ts'
import { findWorkspaceId } from '../sign-in/session-workspace.ts'
import { findUserByAccount } from '../sign-in/sign-in-with-oidc.ts'
import { invalidTokenFault, type VerifiedClaims } from './token-verifier.ts'

export type TokenOwnerSettings = {
  jwt_member_claim: string
  jwt_members: Readonly<Record<string, string>>
  jwt_trust_addresses: boolean
  jwt_workspace_claim?: string | undefined
  jwt_guardrail_claim?: string | undefined
}

/** The member and workspace of a token, and the guardrail that it names. */
export type TokenOwner = KeyOwner & { guardrail: string | undefined }

/** @throws Fault `unauthenticated` for an unknown member; `forbidden` without access to a workspace. */
export async function findTokenOwner(
  deps: { db: Db },
  settings: TokenOwnerSettings,
  claims: VerifiedClaims,
): Promise<TokenOwner> {
  const organizationId = await findOrganizationId(deps.db.query)
  const { jwt_workspace_claim, jwt_guardrail_claim } = settings
  const userId = await findUserId(deps, settings, claims, organizationId)
  if (userId === undefined || !(await isMember(deps.db.query, organizationId, userId))) {
    throw invalidTokenFault(`its claim "${settings.jwt_member_claim}" names no member`)
  }
  const name = jwt_workspace_claim && readRequiredClaim(claims, jwt_workspace_claim)
  const workspaceId = await findWorkspaceId(deps.db.query, { organizationId, userId }, name)
  if (workspaceId === undefined) throw noAccessFault(jwt_workspace_claim)
  const guardrail = jwt_guardrail_claim && readRequiredClaim(claims, jwt_guardrail_claim)
  return { organizationId, userId, workspaceId, guardrail }
}

async function findUserId(
  { db }: { db: Db },
  { jwt_member_claim: claim, jwt_members, jwt_trust_addresses }: TokenOwnerSettings,
  claims: VerifiedClaims,
  organizationId: string,
): Promise<string | undefined> {
  const value = readRequiredClaim(claims, claim)
  const configuredMember = Object.hasOwn(jwt_members, value) ? jwt_members[value] : undefined
  if (configuredMember !== undefined) return resolveUserId(db.query, organizationId, configuredMember)
  if (claim === 'sub') return findUserByAccount(db.query, organizationId, { issuer: claims.iss, subject: value })
  const isVerified = claims.email_verified === true || (jwt_trust_addresses && claims.email_verified === undefined)
  if (claim === 'email' && !isVerified) throw invalidTokenFault('its email address is not verified')
  return resolveUserId(db.query, organizationId, value)
}

const maxClaim = 400

function readRequiredClaim(claims: VerifiedClaims, name: string): string {
  const value = readClaim(claims, name)
  const isUsable = typeof value === 'string' && value !== '' && value.length <= maxClaim && !/\p{Cc}/u.test(value)
  if (isUsable) return value
  throw invalidTokenFault(`its claim "${name}" is missing or not a text`)
}

const noAccessFault = (claim: string | undefined) =>
  new Fault(
    'forbidden',
    claim === undefined
      ? 'The member of this token belongs to no workspace. Ask an administrator to add them to one.'
      : `The member of this token has no access to the workspace in its claim "${claim}".`,
  )
