import { Fault } from '#lib/fault.ts'
import { type AccessRole, accessRoles } from '#lib/vocabulary.ts'
import type { Claims } from './oidc-client.ts'

export type OidcRules = {
  oidc_domains: readonly string[]
  oidc_role_claim?: string | undefined
  oidc_roles: Readonly<Record<string, AccessRole>>
  oidc_default_role: AccessRole | 'none'
  oidc_trust_addresses: boolean
}

/** Somebody as the issuer and the settings have them. */
export type OidcPerson = {
  issuer: string
  subject: string
  /** Undefined where the issuer tells none that can be believed. */
  email: string | undefined
  name: string
  /** What each sign-in makes them; undefined where roles are given here, not by the issuer. */
  role: AccessRole | undefined
  /** What they become as new members; undefined where they do not become any. */
  joinsAs: AccessRole | undefined
}

/** @throws Fault `forbidden` for who has no role by the claim, where that is required. */
export function personIn(claims: Claims, rules: OidcRules): OidcPerson {
  const email = addressIn(claims, rules)
  const standard = rules.oidc_default_role === 'none' ? undefined : rules.oidc_default_role
  const told = rules.oidc_role_claim === undefined ? undefined : (highest(claims, rules) ?? standard)
  if (rules.oidc_role_claim !== undefined && told === undefined) {
    throw new Fault('forbidden', 'The issuer knows you, but tells no role that lets you in here.')
  }
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    name: nameIn(claims) ?? email ?? claims.sub,
    role: told,
    joinsAs: mayJoin(email, rules.oidc_domains) ? (told ?? standard) : undefined,
  }
}

const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)

const maxName = 200
const nameIn = ({ name, preferred_username }: Claims) => (text(name) ?? text(preferred_username))?.slice(0, maxName)

/** An address that nobody has checked may be anybody's: it would sign in as whoever has it here. */
function addressIn({ email, email_verified }: Claims, { oidc_trust_addresses }: OidcRules): string | undefined {
  const isVerified = email_verified === true || email_verified === 'true'
  const isTrusted = oidc_trust_addresses && email_verified === undefined
  const address = text(email)?.toLowerCase()
  return (isVerified || isTrusted) &&
    address !== undefined &&
    /^[^@\s]+@[^@\s]+$/.test(address) &&
    address.length <= 320
    ? address
    : undefined
}

function mayJoin(email: string | undefined, domains: readonly string[]): boolean {
  return email !== undefined && (domains.includes('*') || domains.includes(email.slice(email.lastIndexOf('@') + 1)))
}

function highest(
  claims: Claims,
  { oidc_role_claim: claim = '', oidc_roles: roles }: OidcRules,
): AccessRole | undefined {
  const told = [valueAt(claims, claim)].flat().map(String)
  const given = told.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value]!] : []))
  return accessRoles.find((role) => given.includes(role))
}

/** A claim of this very name, which may have dots, or else a path into an object. */
function valueAt(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path as keyof typeof claims]
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as never] : undefined),
      claims,
    )
}
