import { readUserNames, readWorkspaceNames } from '#identity/accounts/account-names.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { getOrganization } from '#identity/accounts/organizations.ts'
import { listWorkspaces } from '#identity/accounts/workspaces.ts'
import { expiryOfSession, type ResolvedSession, type SignInMethod, signInMethods } from '#identity/sign-in/session.ts'
import type { SessionScope } from '#identity/sign-in/session-rows.ts'
import { csrfTokenOf } from '#identity/sign-in/session-tokens.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'

const NamedItem = z.object({ id: z.string(), name: z.string() })

const Times = z.object({
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('The latest expiry time.'),
  idle_expires_at: z.iso.datetime().describe('The expiry time without further use.'),
})

export const Session = Times.extend({
  id: z.string(),
  method: z.enum(signInMethods).describe('How the member signed in.'),
  role: z.enum(accessRoles).describe('The permissions of this session in the workspace.'),
  organization_role: z.enum(accessRoles).describe('The permissions of this session in the organization.'),
  member: NamedItem.extend({ email: z.string() }),
  organization: NamedItem,
  workspace: NamedItem,
  workspaces: z
    .array(NamedItem.extend({ slug: z.string() }))
    .describe('The workspaces that the session can name in the header `X-Workspace`, at most 100, oldest first.'),
  csrf_token: z.string().describe('Send as the header `X-CSRF-Token` with all requests except GET.'),
}).meta({ id: 'Session', description: 'A browser session of a member.' })

export const ListedSession = Times.extend({
  id: z.string(),
  method: z.enum(signInMethods),
  member: NamedItem.extend({ email: z.string() }),
  address: z.string().nullable().describe('The IP address from which the member signed in.'),
  user_agent: z.string().nullable().describe('The `User-Agent` of the browser.'),
  last_used_at: z.iso.datetime().describe('Accurate to the minute.'),
  is_current: z.boolean().describe('Whether this is the calling session.'),
}).meta({ id: 'ListedSession', description: 'A session in the list.' })

type SessionResponseDeps = { db: Db; sessions: Pick<Sessions, 'lifetimes'> }

export async function toSessionResponse(
  deps: SessionResponseDeps,
  session: ResolvedSession,
  token: string,
): Promise<z.infer<typeof Session>> {
  const { row, workspace, workspaceId } = session
  const organizationId = row.organization_id
  const [organization, members, names, workspaces] = await Promise.all([
    getOrganization(deps, organizationId),
    readUserNames(deps.db, organizationId, [row.user_id]),
    readWorkspaceNames(deps.db, organizationId, [workspaceId]),
    workspacesOf(deps, session),
  ])
  const { name = '', email = '' } = members.get(row.user_id) ?? {}
  return {
    id: row.id,
    method: row.method as SignInMethod,
    csrf_token: csrfTokenOf(token),
    role: workspace.role,
    organization_role: session.organization.role,
    member: { id: row.user_id, name, email },
    organization: { id: organizationId, name: organization.name },
    workspace: { id: workspaceId, name: names.get(workspaceId)?.name ?? '' },
    workspaces,
    ...timesOf(deps, row),
  }
}

/** The limit of listed workspaces. */
const maxWorkspaces = 100

/** A pasted API key can act in its workspace only. */
async function workspacesOf(deps: SessionResponseDeps, { organization }: ResolvedSession) {
  if (!organization.managementCaller) return []
  const { data } = await listWorkspaces(deps, organization.managementCaller, { offset: 0, limit: maxWorkspaces })
  return data.map(({ id, name, slug }) => ({ id, name, slug }))
}

export function timesOf(
  { sessions }: Pick<SessionResponseDeps, 'sessions'>,
  row: ResolvedSession['row'],
): z.infer<typeof Times> {
  return {
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    idle_expires_at: isoTime(expiryOfSession(row, sessions.lifetimes)),
  }
}

/**
 * The sessions that a caller can see and end. Management keys, owners and admins: all. Developers and viewers: their own.
 * An API key, sent or pasted: those that were started with it.
 */
export function sessionScope({ keyKind, keyHash, userId, organizationId, access }: Caller): SessionScope {
  if (access === 'developer' || access === 'viewer') return { organizationId, userId }
  if (keyKind === 'management') return { organizationId }
  if (keyKind === 'intern') throw new Fault('forbidden', 'The key of an intern has no sessions.')
  return { organizationId, keyHash }
}
