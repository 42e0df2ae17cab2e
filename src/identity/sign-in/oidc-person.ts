import { Fault } from '#platform/core/fault.ts'
import { type AccessRole, accessRoles, type WorkspaceRole, workspaceRoles } from '#platform/core/vocabulary.ts'
import { beginningOf } from '#platform/text/whole-characters.ts'
import type { Claims, IssuerAnswer } from './oidc-client.ts'

export type OidcRules = {
  oidc_domains: readonly string[]
  oidc_role_claim?: string | undefined
  oidc_roles: Readonly<Record<string, AccessRole>>
  oidc_default_role: AccessRole | 'none'
  oidc_groups_claim: string
  oidc_groups: Readonly<Record<string, GroupWorkspace>>
  oidc_trust_addresses: boolean
}

/** A workspace, by ID or slug, and the role in it, which defaults to the one in the organization. */
export type GroupWorkspace = { workspace: string; role?: WorkspaceRole | undefined }

/** An account as the issuer and the settings describe it. */
export type OidcPerson = {
  issuer: string
  subject: string
  /** Undefined if the issuer sends none that can be trusted. */
  email: string | undefined
  name: string
  /** The role that each sign-in sets; undefined if the member keeps the current one. */
  role: AccessRole | undefined
  /** The role of a new member; undefined if the account cannot become one. */
  joinsAs: AccessRole | undefined
  /** The workspaces that each sign-in sets. Undefined if the settings map none. */
  workspaces: GroupWorkspace[] | undefined
  /** Whether the issuer did not send the groups. Then memberships stay, and only those of `*` are added. */
  groupsUnknown: boolean
  /** Why the role claim could not be read, to be logged. */
  roleUnknown: string | undefined
}

/** @throws Fault `forbidden` if the role claim gives no role and one is required, or the subject cannot be stored. */
export function personIn(answer: IssuerAnswer, rules: OidcRules): OidcPerson {
  const { idToken, userInfo } = answer
  const claims: Claims = { ...userInfo, ...idToken }
  const email = addressIn([idToken, userInfo ?? {}], rules)
  const groupsUnknown = unreadableClaim(claims, rules.oidc_groups_claim, answer.isIncomplete) !== undefined
  const defaultRole = rules.oidc_default_role === 'none' ? undefined : rules.oidc_default_role
  const { oidc_role_claim: claim } = rules
  const roleUnknown = claim === undefined ? undefined : unreadableClaim(claims, claim, answer.isIncomplete)
  const role = claim === undefined || roleUnknown !== undefined ? undefined : (highest(claims, rules) ?? defaultRole)
  if (claim !== undefined && role === undefined && roleUnknown === undefined) {
    throw new Fault('forbidden', 'The issuer signed you in, but did not give you a role with access to this service.')
  }
  return {
    issuer: idToken.iss,
    subject: storableSubject(idToken.sub),
    email,
    name: nameIn(claims) ?? email ?? idToken.sub,
    role,
    joinsAs: canJoin(email, rules.oidc_domains) ? (role ?? defaultRole) : undefined,
    workspaces: workspacesIn(claims, rules, groupsUnknown),
    groupsUnknown,
    roleUnknown,
  }
}

/** OpenID Connect allows 255 ASCII characters. */
function storableSubject(subject: string): string {
  if (subject.length <= 255 && !hasControl(subject)) return subject
  throw new Fault(
    'forbidden',
    'The "sub" of your account at the issuer has more than 255 characters, or control characters.',
  )
}

const hasControl = (value: string) => /\p{Cc}/u.test(value)

const text = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.toWellFormed().trim() : undefined

const maxName = 200

function nameIn({ name, preferred_username }: Claims): string | undefined {
  const given = text(name) ?? text(preferred_username)
  return given && text(beginningOf(given.replace(/\p{Cc}+/gu, ' '), maxName))
}

type AddressClaims = { email?: unknown; email_verified?: unknown }

/**
 * The email address, with the verification that the same source reports. An unverified address could belong to anybody,
 * who would then sign in as the member with this address. Sources that report a verification come first.
 */
function addressIn(sources: AddressClaims[], { oidc_trust_addresses }: OidcRules): string | undefined {
  const withAddress = sources.filter(({ email }) => text(email) !== undefined)
  const source = withAddress.find(({ email_verified }) => email_verified !== undefined) ?? withAddress[0]
  if (source === undefined) return undefined
  const { email_verified } = source
  const isVerified = email_verified === true || email_verified === 'true'
  const isTrusted = oidc_trust_addresses && email_verified === undefined
  const address = text(source.email)!.toLowerCase()
  return (isVerified || isTrusted) && isAddress(address) ? address : undefined
}

const isAddress = (address: string) =>
  address.length <= 320 && !hasControl(address) && /^[^@\s]+@[^@\s]+$/.test(address)

function canJoin(email: string | undefined, domains: readonly string[]): boolean {
  return email !== undefined && (domains.includes('*') || domains.includes(email.slice(email.lastIndexOf('@') + 1)))
}

/**
 * Why a missing role claim does not mean that the account has no roles. Issuers move long lists of groups out of the
 * token (OpenID Connect Core 5.6.2) or replace them by `hasgroups` (Microsoft Entra), and a failed user-info endpoint
 * may have had them.
 */
function unreadableClaim(claims: Claims, path: string, isIncomplete: boolean): string | undefined {
  if (valueAt(claims, path) !== undefined) return undefined
  const { _claim_names: moved } = claims
  const names = [path, path.split('.')[0]!]
  if (typeof moved === 'object' && moved !== null && names.some((name) => Object.hasOwn(moved, name))) {
    return `the claim "${path}" is too long for the token and is only available at another endpoint (_claim_names); configure the issuer to send only the groups assigned to this service`
  }
  if (path === 'groups' && claims.hasgroups === true) {
    return 'the claim "groups" is too long for the token (hasgroups); configure the issuer to send only the groups assigned to this service'
  }
  return isIncomplete ? `the claim "${path}" is missing, and the user-info endpoint failed` : undefined
}

/** The workspaces of all groups of an account, or those of `*` alone. Of several roles in one workspace, the highest. */
function workspacesIn(claims: Claims, rules: OidcRules, groupsUnknown: boolean): GroupWorkspace[] | undefined {
  const { oidc_groups_claim: claim, oidc_groups: groups } = rules
  if (Object.keys(groups).length === 0) return undefined
  const values = ['*', ...(groupsUnknown ? [] : [valueAt(claims, claim)].flat().flatMap(roleName))]
  const given = values.flatMap((value) => (Object.hasOwn(groups, value) ? [groups[value]!] : []))
  const rank = ({ role }: GroupWorkspace) => (role ? workspaceRoles.indexOf(role) : workspaceRoles.length)
  return given
    .toSorted((one, other) => rank(one) - rank(other))
    .filter(({ workspace }, at, all) => all.findIndex((one) => one.workspace === workspace) === at)
}

function highest(
  claims: Claims,
  { oidc_role_claim: claim = '', oidc_roles: roles }: OidcRules,
): AccessRole | undefined {
  const values = [valueAt(claims, claim)].flat().flatMap(roleName)
  const given = values.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value]!] : []))
  return accessRoles.find((role) => given.includes(role))
}

/** Converts a role to text, because some issuers send numbers. */
const roleName = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : [])

/** Returns the claim with this exact name, which can contain dots, or else the value at this path. */
export function valueAt(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path as keyof typeof claims]
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as never] : undefined),
      claims,
    )
}
