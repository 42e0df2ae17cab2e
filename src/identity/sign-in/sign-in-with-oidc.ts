import { Fault } from '#platform/core/fault.ts'
import { type WorkspaceRole, workspaceRoles } from '#platform/core/vocabulary.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import { admitMember } from '../accounts/members/admit-member.ts'
import type { Member } from '../accounts/members/member.ts'
import { findMemberByAddress } from '../accounts/members/members.ts'
import { workspaceRoleOf } from '../accounts/members/workspace-member.ts'
import {
  joinWorkspace,
  type MembershipChange,
  readWorkspacesOfMember,
} from '../accounts/members/workspace-membership.ts'
import { findOrganizationId } from '../accounts/organizations.ts'
import { leaveWorkspace } from '../accounts/remove-workspace-members.ts'
import { findWorkspace } from '../accounts/workspaces.ts'
import type { GroupWorkspace, OidcPerson } from './oidc-person.ts'
import { findWorkspaceId, noWorkspaceFault } from './session-workspace.ts'
import { type Browser, type NewSession, type SignInDeps, startSession } from './sign-in.ts'

/**
 * Signs in a person whom the issuer has authenticated. The member is found by the account, or else by the email address, or
 * else created. The account is then stored, so that a new owner of the address does not get access.
 * @throws Fault `forbidden` with the reason.
 */
export async function signInWithOidc(deps: SignInDeps, person: OidcPerson, browser: Browser): Promise<NewSession> {
  const organizationId = await findOrganizationId(deps.db.query)
  const signedIn = await deps.db.exclusively(accountsLock(organizationId), async (tx, publish) => {
    const boundUserId = await findUserByAccount(tx, organizationId, person)
    const userId = boundUserId ?? (await findMemberByAddress(tx, organizationId, person.email))?.userId
    const member = await admitMember(deps, tx, publish, { organizationId, userId, ...person })
    if (boundUserId === undefined) await bindIdentity(deps, tx, organizationId, person, member.userId)
    const actor = { organizationId, userId: member.userId, keyHash: null }
    await applyGroups({ deps, tx, publish, actor }, member, person)
    const workspaceId = await findWorkspaceId(tx, actor)
    // The new member is stored, so that an admin can add them to a workspace.
    if (workspaceId === undefined) return noWorkspaceFault(tx, organizationId)
    const owner = { organizationId, userId: member.userId, workspaceId }
    return startSession(deps, tx, publish, { ...owner, method: 'oidc' }, browser)
  })
  if (signedIn instanceof Fault) throw signedIn
  return signedIn
}

/** Updates the workspaces of a member from groups of the issuer. Memberships that an admin added do not change. */
async function applyGroups(
  change: MembershipChange,
  { userId, role: organizationRole }: Member,
  { workspaces, areGroupsUnknown }: Pick<OidcPerson, 'workspaces' | 'areGroupsUnknown'>,
): Promise<void> {
  if (workspaces === undefined) return
  const { organizationId } = change.actor
  const memberships = await readWorkspacesOfMember(change.tx, organizationId, userId)
  const roles = await findMappedRoles(change, workspaces, workspaceRoleOf(organizationRole))
  for (const [id, role] of roles) {
    const existing = memberships.find(({ workspace_id }) => workspace_id === id)
    if (existing && (areGroupsUnknown || existing.source === 'manual')) continue
    await joinWorkspace(change, id, userId, role, 'oidc')
  }
  if (areGroupsUnknown) return
  for (const { workspace_id, source } of memberships)
    if (source === 'oidc' && !roles.has(workspace_id)) await leaveWorkspace(change, workspace_id, userId)
}

/** Returns the highest mapped role in each workspace, by the ID of the workspace. Workspaces that do not exist are skipped. */
async function findMappedRoles(
  { tx, actor: { organizationId } }: MembershipChange,
  mappings: readonly GroupWorkspace[],
  defaultRole: WorkspaceRole,
): Promise<Map<string, WorkspaceRole>> {
  // Covers all workspaces of the organization, so its `workspaceId` is not read.
  const scope = { organizationId, workspaceId: '', isWorkspaceScoped: false }
  const rolesById = new Map<string, WorkspaceRole[]>()
  for (const [name, named] of Map.groupBy(mappings, ({ workspace }) => workspace)) {
    const workspace = await findWorkspace({ db: { query: tx } }, scope, name)
    // Two names, the ID and the slug, can stand for one workspace.
    if (workspace)
      rolesById.getOrInsertComputed(workspace.id, () => []).push(...named.map(({ role = defaultRole }) => role))
  }
  const highestOf = (roles: WorkspaceRole[]) => workspaceRoles.find((role) => roles.includes(role)) ?? defaultRole
  return new Map([...rolesById].map(([id, roles]) => [id, highestOf(roles)]))
}

/** Finds the member who has signed in with an account of an issuer. @returns the id of the user. */
export async function findUserByAccount(
  query: Query | Tx,
  organizationId: string,
  { issuer, subject }: Pick<OidcPerson, 'issuer' | 'subject'>,
): Promise<string | undefined> {
  const identity = await query
    .selectFrom('oidc_identities')
    .where('organization_id', '=', organizationId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .select('user_id')
    .executeTakeFirst()
  return identity?.user_id
}

async function bindIdentity(
  { now }: Pick<SignInDeps, 'now'>,
  tx: Tx,
  organizationId: string,
  { issuer, subject }: OidcPerson,
  userId: string,
): Promise<void> {
  const identity = { organization_id: organizationId, issuer, user_id: userId }
  const other = await tx
    .selectFrom('oidc_identities')
    .where('organization_id', '=', organizationId)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .select('subject')
    .executeTakeFirst()
  if (other) {
    throw new Fault('forbidden', 'The member with this address signs in with another account of the issuer.')
  }
  await tx
    .insertInto('oidc_identities')
    .values({ ...identity, subject, created_at: now() })
    .execute()
}
