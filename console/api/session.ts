import { signal } from '@preact/signals'
import { pageSettings } from './address/page-settings.ts'
import { withRoot } from './address/root.ts'
import { putWorkspaceInAddress, workspaceHeader, workspaceInAddress } from './address/workspace-path.ts'
import { type FailedRead, isRetryable, nextFailedRead, retryDelayMs, runWhenVisible } from './connection/retry.ts'
import { storeCookie } from './cookie.ts'
import { Failure, readFailure } from './failure.ts'
import { currentSessionPath, dropPreloadedResponses, takePreloadedResponse } from './preloaded-responses.ts'
import type { NewSession, Session } from './types.ts'

const sessionsPath = withRoot('/api/v1/sessions')

/**
 * The session of this browser. `unknown`: it is being looked up. `emailedLink`: the token of a link that waits for a click, because
 * scanners of mail servers open the links of emails in a browser, and a link signs in once. `no-workspace`: the member belongs to no workspace.
 * `isWorkspaceMissing`: the workspace in the address does not exist, or the member has no access to it.
 */
type SessionState =
  | { state: 'unknown' }
  | { state: 'signed-out'; failure?: Failure; emailedLink?: string }
  | { state: 'no-workspace'; failure: Failure }
  | { state: 'signed-in'; session: Session; isWorkspaceMissing?: boolean }

const storageKey = 'was-signed-in'

/**
 * Whether this browser has or had a session. If so, the screen loads while the session is looked up. The browser sends no
 * cookie for a page that another site links to, hence the local storage.
 */
export function wasSignedIn(): boolean {
  if (pageSettings.session !== undefined) return true
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

/** The role for which the page was rendered; undefined without a previous session. */
export const lastRole = () => pageSettings.role

/** Stores the role for the next page, and that this browser was signed in. @param role undefined removes both. */
function storeRole(role: Session['role'] | undefined): void {
  storeCookie('role', role)
  try {
    if (role) localStorage.setItem(storageKey, '1')
    else localStorage.removeItem(storageKey)
  } catch {
    // Without storage screens load later.
  }
}

const sessionLookup = Promise.withResolvers<void>()

/** Resolves when the lookup has ended, also without a session. Writes wait for it, because they need the CSRF token of the session. */
export const sessionLookedUp = sessionLookup.promise

export const sessionState = signal<SessionState>({ state: 'unknown' })

/** The CSRF token, required for writes. */
export function csrfToken(): string | undefined {
  const { value } = sessionState
  return value.state === 'signed-in' ? value.session.csrf_token : undefined
}

/** The member whose session expired. If the same member signs in again, the page stays as it is; for another it is reloaded. */
let lastMemberId: string | undefined

/** Records that the session has ended. @param failure the response that says so. */
export function recordSessionEnd(failure: Failure): void {
  const previousState = sessionState.peek()
  if (previousState.state !== 'signed-in') return
  lastMemberId = previousState.session.member.id
  const { requestId } = failure
  sessionState.value = { state: 'signed-out', failure: new Failure(401, sessionEndMessage, { requestId }) }
}

const sessionEndMessage = 'You were signed out: the session has expired or was ended. Sign in to continue on this page.'

async function createSession(body: NewSession): Promise<Session> {
  const response = await fetch(sessionsPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw await readFailure(response)
  dropPreloadedResponses()
  return readSession(response)
}

/** @throws Failure if the key or the link is invalid. */
export async function signIn(credential: NewSession): Promise<void> {
  const session = await createSession(credential)
  if (lastMemberId !== undefined && lastMemberId !== session.member.id) {
    storeRole(session.role)
    return reloadPage()
  }
  applyState(await inWorkspaceOfAddress(session))
}

/** The state after a sign-in, which itself names no workspace. */
const inWorkspaceOfAddress = async (session: Session): Promise<SessionState> =>
  workspaceInAddress() === undefined ? { state: 'signed-in', session } : await readState()

function applyState(state: SessionState): void {
  if (state.state === 'signed-in') addWorkspaceToAddress(state.session)
  sessionState.value = state
  storeRole(state.state === 'signed-in' ? state.session.role : undefined)
}

/** Owners and admins manage the organization, or the workspace in which they have this role. */
export const isManagerRole = (name: string | undefined) => name === 'owner' || name === 'admin'

/** Whether the session has access to all workspaces, and so to the views of all of them together. */
export const hasAllWorkspaces = ({ organization_role }: Pick<Session, 'organization_role'>) =>
  isManagerRole(organization_role)

/** Whether the page shows all workspaces together. */
export const showsAllWorkspaces = (session: Pick<Session, 'organization_role'>) =>
  workspaceInAddress() === undefined && hasAllWorkspaces(session)

/**
 * Puts the workspace into the address of a page without one, because another member who opens a copied address must get the same
 * workspace. A page that shows all workspaces keeps its address.
 */
export function addWorkspaceToAddress(session: Session): void {
  if (workspaceInAddress() !== undefined || hasAllWorkspaces(session)) return
  const slug = session.workspaces.find(({ id }) => id === session.workspace.id)?.slug
  if (slug !== undefined) putWorkspaceInAddress(slug)
}

/** @throws Failure if the service did not end the session. */
export async function signOut(): Promise<void> {
  // The button is part of the page before the session is known.
  await sessionLookedUp
  const token = csrfToken()
  const headers = { ...(token && { 'x-csrf-token': token }) }
  const response = await fetch(currentSessionPath, { method: 'DELETE', headers })
  // 401: the session has already ended.
  if (!response.ok && response.status !== 401) throw await readFailure(response)
  storeRole(undefined)
  const { sign_out_url } = response.ok ? ((await response.json()) as { sign_out_url?: string }) : {}
  if (sign_out_url) location.assign(sign_out_url)
  else reloadPage()
}

/** Removes responses, drafts and chats of the previous member from memory. */
const reloadPage = () => location.reload()

/** The role of the session; undefined while unknown. */
export const role = () => currentSession()?.role

/** The session of the page; undefined while unknown. Components that call it are rendered again when the session changes. */
export const currentSession = () => (sessionState.value.state === 'signed-in' ? sessionState.value.session : undefined)

/** Whether the session can manage its workspace. The service enforces it; the console hides what it would reject. */
export const canManage = () => isManagerRole(role())
/** Whether the session can use models and interns. Viewers cannot. */
export const canUseModelsAndInterns = () => role() !== undefined && role() !== 'viewer'

/** The role of the session in the organization; undefined while unknown. */
const organizationRole = () => currentSession()?.organization_role

/** Whether the session can change the service, such as reload its catalogue. */
export const canManageService = () => isManagerRole(organizationRole())

/** Whether the session can read status, settings and providers of the service. Developers cannot. */
export const canSeeService = () => organizationRole() !== undefined && organizationRole() !== 'developer'

/** The fragment of a sign-in link. Browsers do not send it, so no proxy can log the token. `emailed`: the link waits for a click. */
const linkPattern = /^#(?<emailed>emailed-)?sign-in=(?<token>.+)$/

/** A sign-in link whose request is pending. */
let pendingLink: string | undefined
let failedRead: FailedRead | undefined
let cancelRetry: (() => void) | undefined

/**
 * Looks up the session: by the link in the address, which is removed from it, or by the cookie. Transient failures are
 * retried until somebody signs in.
 */
export async function findSession(): Promise<void> {
  cancelRetry?.()
  if (sessionState.peek().state === 'signed-in') return
  const state = await fetchSession().catch(stateAfterFailedLookup)
  if (sessionState.peek().state === 'signed-in') return
  applyState(state)
  sessionLookup.resolve()
}

/** Also schedules the next lookup after a transient failure, with the same sign-in link. */
function stateAfterFailedLookup(error: unknown): SessionState {
  failedRead = nextFailedRead(failedRead, error)
  const { failure, count } = failedRead
  if (isRetryable(failure))
    cancelRetry = runWhenVisible(retryDelayMs(count, Math.random(), failure.retryAfterMs), () => void findSession())
  else pendingLink = undefined
  return hasNoWorkspace(failure) ? { state: 'no-workspace', failure } : { state: 'signed-out', failure }
}

const hasNoWorkspace = ({ metadata }: Failure) => metadata?.reason === 'no_workspace'

async function fetchSession(): Promise<SessionState> {
  const link = linkPattern.exec(location.hash)?.groups
  if (link) {
    history.replaceState(null, '', location.pathname + location.search)
    const token = link.token!
    if (link.emailed) return { state: 'signed-out', emailedLink: token }
    pendingLink = token
  }
  if (pendingLink !== undefined) {
    const session = await createSession({ link: pendingLink })
    pendingLink = undefined
    return inWorkspaceOfAddress(session)
  }
  return readState()
}

async function readState(): Promise<SessionState> {
  const preloaded = takePreloadedResponse(currentSessionPath) as { data: Session } | undefined
  if (preloaded) return { state: 'signed-in', session: preloaded.data }
  const response = await fetch(currentSessionPath, { headers: workspaceHeader() })
  if (response.ok) return { state: 'signed-in', session: await readSession(response) }
  if (response.status === 401) return { state: 'signed-out' }
  const failure = await readFailure(response)
  if (failure.metadata?.reason !== 'no_access_to_workspace') throw failure
  const withoutWorkspace = await fetch(currentSessionPath)
  if (!withoutWorkspace.ok) throw await readFailure(withoutWorkspace)
  return { state: 'signed-in', session: await readSession(withoutWorkspace), isWorkspaceMissing: true }
}

/** Reads the session again after a change of its workspaces. If that fails, the page keeps the session that it has. */
export async function reloadSession(): Promise<void> {
  const state = await readState().catch(() => undefined)
  if (state?.state === 'signed-in') sessionState.value = state
}

const readSession = async (response: Response) => ((await response.json()) as { data: Session }).data
