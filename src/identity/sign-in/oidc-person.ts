import { Fault } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { type AccessRole, accessRoles, type WorkspaceRole } from '#platform/core/vocabulary.ts'
import { truncateText } from '#platform/text/truncate.ts'
import { normalizeAddress } from '../accounts/members/member.ts'
import type { AccountClaims, IdTokenClaims } from './oidc-client.ts'

export type OidcRules = {
  oidc_domains: readonly string[]
  oidc_role_claim?: string | undefined
  oidc_roles: Readonly<Record<string, AccessRole>>
  oidc_default_role: AccessRole | 'none'
  oidc_groups_claim: string
  oidc_groups: Readonly<Record<string, GroupWorkspace>>
  oidc_email_claim: string
  oidc_trust_addresses: boolean
}

/** A workspace by ID or slug, and the role in it. The role defaults to the role in the organization. */
export type GroupWorkspace = { workspace: string; role?: WorkspaceRole | undefined }

/** An account as the issuer and the settings describe it. */
export type OidcPerson = {
  issuer: string
  subject: string
  /** Undefined without a trusted address. */
  email: string | undefined
  name: string
  /** The role that each sign-in sets; undefined if the member keeps the current one. */
  role: AccessRole | undefined
  /** The role if the account becomes a member now; undefined if it cannot become one. */
  newMemberRole: AccessRole | undefined
  /** The workspaces that each sign-in sets. Undefined if the settings do not map groups to workspaces. */
  workspaces: GroupWorkspace[] | undefined
  /** Whether the issuer did not send the groups. Then no membership is removed, and only those of `*` are added. */
  areGroupsUnknown: boolean
  /** Why the role claim could not be read, for the log. */
  roleProblem: string | undefined
}

/** The claims of the ID token and the user-info endpoint, merged. */
type Claims = IdTokenClaims

/** @throws Fault `forbidden` if the account has no role, or its subject cannot be stored. */
export function readPerson(response: AccountClaims, rules: OidcRules): OidcPerson {
  const { idToken, userInfo } = response
  const claims: Claims = { ...userInfo, ...idToken }
  const email = trustedEmail([idToken, userInfo ?? {}], rules)
  const areGroupsUnknown = unreadableClaim(claims, rules.oidc_groups_claim, response.isIncomplete) !== undefined
  const defaultRole = rules.oidc_default_role === 'none' ? undefined : rules.oidc_default_role
  const { oidc_role_claim: claim } = rules
  const roleProblem = claim === undefined ? undefined : unreadableClaim(claims, claim, response.isIncomplete)
  const role =
    claim === undefined || roleProblem !== undefined
      ? undefined
      : (highestRole(claims, claim, rules.oidc_roles) ?? defaultRole)
  if (claim !== undefined && role === undefined && roleProblem === undefined) {
    throw new Fault('forbidden', 'The issuer signed you in, but did not give you a role with access to this service.')
  }
  return {
    issuer: idToken.iss,
    subject: requireStorableSubject(idToken.sub),
    email,
    name: displayName(claims) ?? email ?? idToken.sub,
    role,
    newMemberRole: canJoin(email, rules.oidc_domains) ? (role ?? defaultRole) : undefined,
    workspaces: mappedWorkspaces(claims, rules, areGroupsUnknown),
    areGroupsUnknown,
    roleProblem,
  }
}

/** OpenID Connect allows 255 ASCII characters. */
function requireStorableSubject(subject: string): string {
  if (subject !== '' && subject.length <= 255 && !hasControl(subject)) return subject
  throw new Fault(
    'forbidden',
    'The "sub" of your account at the issuer is empty, or has more than 255 characters or control characters.',
  )
}

const hasControl = (value: string) => /\p{Cc}/u.test(value)

const nonEmptyText = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.toWellFormed().trim() : undefined

const maxName = 200

function displayName({ name, preferred_username }: Claims): string | undefined {
  const text = nonEmptyText(name) ?? nonEmptyText(preferred_username)
  return text && nonEmptyText(truncateText(text.replace(/\p{Cc}+/gu, ' '), maxName))
}

/**
 * Returns the email address, if the source of the address also reports that it is verified. With an unverified address,
 * anybody could sign in as the member who has it. Sources that report `email_verified` come first. That claim says nothing
 * about other claims than `email`, such as `upn`.
 */
function trustedEmail(
  sources: Readonly<Record<string, unknown>>[],
  { oidc_email_claim: claim, oidc_trust_addresses }: OidcRules,
): string | undefined {
  const addresses = sources.flatMap((source) => {
    const address = nonEmptyText(readClaim(source, claim))
    return address === undefined ? [] : [{ address, verified: claim === 'email' ? source.email_verified : undefined }]
  })
  const found = addresses.find(({ verified }) => verified !== undefined) ?? addresses[0]
  if (found === undefined) return undefined
  const { verified } = found
  const address = normalizeAddress(found.address)
  const isVerified = verified === true || verified === 'true'
  const isTrusted = oidc_trust_addresses && verified === undefined
  return (isVerified || isTrusted) && isAddress(address) ? address : undefined
}

const isAddress = (address: string) =>
  address.length <= 320 && !hasControl(address) && /^[^@\s]+@[^@\s]+$/.test(address)

function canJoin(email: string | undefined, domains: readonly string[]): boolean {
  return email !== undefined && (domains.includes('*') || domains.includes(email.slice(email.lastIndexOf('@') + 1)))
}

/**
 * Explains why a claim is missing although the account can have values for it; undefined otherwise. Issuers move long
 * lists of groups out of the token (OpenID Connect Core 5.6.2) or replace them by `hasgroups` (Microsoft Entra). A
 * failed user-info endpoint may also have had the claim.
 */
function unreadableClaim(claims: Claims, path: string, isIncomplete: boolean): string | undefined {
  if (readClaim(claims, path) !== undefined) return undefined
  const { _claim_names: externalClaims } = claims
  const names = [path, path.split('.')[0]!]
  if (
    typeof externalClaims === 'object' &&
    externalClaims !== null &&
    names.some((name) => Object.hasOwn(externalClaims, name))
  ) {
    return `the claim "${path}" is too long for the token and is only available at another endpoint (_claim_names); configure the issuer to send only the groups assigned to this service`
  }
  if (path === 'groups' && claims.hasgroups === true) {
    return 'the claim "groups" is too long for the token (hasgroups); configure the issuer to send only the groups assigned to this service'
  }
  return isIncomplete ? `the claim "${path}" is missing, and the user-info endpoint failed` : undefined
}

/** Returns the mappings of `*` and of the groups of an account. Several can name one workspace. */
function mappedWorkspaces(claims: Claims, rules: OidcRules, areGroupsUnknown: boolean): GroupWorkspace[] | undefined {
  const { oidc_groups_claim: claim, oidc_groups: groups } = rules
  if (Object.keys(groups).length === 0) return undefined
  const groupNames = new Set(areGroupsUnknown ? [] : readClaimTexts(claims, claim))
  return Object.entries(groups).flatMap(([name, mapping]) => (name === '*' || groupNames.has(name) ? [mapping] : []))
}

function highestRole(claims: Claims, claim: string, roles: OidcRules['oidc_roles']): AccessRole | undefined {
  const matched = readClaimTexts(claims, claim).flatMap((value) => ownValue(roles, value) ?? [])
  return accessRoles.find((role) => matched.includes(role))
}

/** Returns the values of a claim, which can be one value or a list. Some issuers send numbers; other types are ignored. */
function readClaimTexts(claims: Claims, path: string): string[] {
  const value = readClaim(claims, path)
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((item) => typeof item === 'string' || typeof item === 'number').map(String)
}

/**
 * Returns the claim with this exact name, which can contain dots, or else the value at this path. A path through a list of
 * objects, such as `groups.name`, gives the list of their values; undefined if no object has one.
 */
export function readClaim(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path as keyof typeof claims]
  let value: unknown = claims
  const names = path.split('.')
  for (const [index, name] of names.entries()) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Object.hasOwn(value, name)) value = value[name as never]
    else return Array.isArray(value) ? readFromItems(value, names.slice(index).join('.')) : undefined
  }
  return value
}

function readFromItems(items: unknown[], path: string): unknown[] | undefined {
  const values = items
    .map((item) => (isObject(item) ? readClaim(item, path) : undefined))
    .filter((value) => value !== undefined)
  return values.length > 0 || items.length === 0 ? values : undefined
}
