import type { Caller } from '#identity/accounts/caller.ts'
import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import { isToken } from '#identity/tokens/token-verifier.ts'
import type { Tokens } from '#identity/tokens/tokens.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Route } from '../routes/route.ts'
import { type GuardedRoute, rolesOf } from './roles.ts'

type AccessRules = Pick<Route, 'wrongKeyFault'> & GuardedRoute

/** Matches a key of this service without its `Bearer` scheme. */
const bareKey = /^sb-v1-\S+$/
const bearer = /^Bearer +(\S+)$/i

/**
 * The credential of a request. Clients of Anthropic's protocol send the bare key in a separate header, which only the
 * operations of that protocol accept. Some send a second credential that is not meant for this service.
 */
export function readAuthorization(
  { authorization, 'x-api-key': key }: Credentials,
  acceptsApiKeyHeader: boolean,
): string | undefined {
  if (!acceptsApiKeyHeader) return authorization
  if (typeof key !== 'string' || key === '') return authorization
  return authorization === undefined || bareKey.test(key) ? `Bearer ${key}` : authorization
}

type Credentials = { authorization?: string | undefined; 'x-api-key'?: string | string[] | undefined }

/** Returns the secret of an `Authorization` header. */
function readBearerSecret(authorization: string | undefined): string | undefined {
  return bearer.exec(authorization ?? '')?.[1]
}

type AuthorizeDeps = { keys: Pick<KeyCache, 'find'>; tokens?: Pick<Tokens, 'find'> | undefined }

/**
 * Authorizes a request whose key is cached. @returns undefined if the key is not cached.
 * @throws Fault `unauthenticated` or `forbidden` if the key cannot be used here.
 */
export function authorizeFromCache(
  { keys }: { keys: Pick<KeyCache, 'findCached'> },
  route: AccessRules,
  authorization: string | undefined,
): Caller | undefined {
  const secret = readBearerSecret(authorization)
  const caller = secret === undefined ? undefined : keys.findCached(secret)
  return caller && requireAllowedKey(caller, route)
}

/** Finds the caller of a request by its key. @throws Fault `unauthenticated` or `forbidden`, with what is missing. */
export async function authorize(
  deps: AuthorizeDeps,
  route: AccessRules,
  authorization: string | undefined,
): Promise<Caller> {
  if (!authorization) {
    throw new Fault('unauthenticated', 'No key: send the header "Authorization: Bearer <key>".')
  }
  const secret = readBearerSecret(authorization)
  if (!secret && bareKey.test(authorization)) throw missingSchemeFault()
  return requireAllowedKey(await findCaller(deps, secret), route)
}

const missingSchemeFault = () =>
  new Fault(
    'unauthenticated',
    'The header lacks "Bearer " before the key: send the header "Authorization: Bearer <key>".',
  )

async function findCaller({ keys, tokens }: AuthorizeDeps, secret: string | undefined): Promise<Caller> {
  if (tokens && secret && isToken(secret)) return tokens.find(secret)
  const caller = secret && (await keys.find(secret))
  if (caller) return caller
  throw new Fault('unauthenticated', 'Invalid key: it is malformed, unknown, disabled or expired.')
}

function requireAllowedKey(caller: Caller, route: AccessRules): Caller {
  if (route.key === 'management' && caller.keyKind !== 'management') {
    throw new Fault(route.wrongKeyFault ?? 'forbidden', 'Only management keys can perform this operation')
  }
  if (route.key === 'api' && caller.keyKind === 'management') {
    throw new Fault('unauthenticated', 'Invalid key: a management key cannot be used here; use an API key.')
  }
  requireWorkspaceMember(caller)
  // Keys of interns stay allowed: an intern works for the organization.
  if (caller.role === 'viewer' && caller.keyKind === 'api' && !rolesOf(route).includes('viewer')) {
    throw new Fault('forbidden', 'The member whom this key acts for is a viewer. Viewers have read access only.')
  }
  return caller
}

/** @throws Fault `forbidden` if the member of an API key does not belong to the workspace of the key. */
export function requireWorkspaceMember(caller: Caller): void {
  if (!isKeyOfNonMember(caller)) return
  throw new Fault('forbidden', 'The member whom this key acts for does not belong to the workspace of the key.')
}

/**
 * Whether the member of an API key belongs to the organization, but not to the workspace of the key. The keys of members
 * who left the organization continue to work.
 */
const isKeyOfNonMember = ({ keyKind, role, creatorLeft, organizationRole }: Caller) =>
  keyKind === 'api' && role === undefined && organizationRole !== undefined && !creatorLeft
