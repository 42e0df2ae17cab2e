import { signal } from '@preact/signals'
import { type Failure, failureOf } from './failure.ts'
import { type FailedRead, isRetryable, nextFailedRead, retryDelayMs, runWhenVisible } from './retry.ts'
import { withRoot } from './root.ts'
import type { Session } from './types.ts'

const path = withRoot('/api/v1/sessions')

/** Who sits here. `asking`: not known yet. */
export type SessionState = { state: 'asking' } | { state: 'out'; failure?: Failure } | { state: 'in'; session: Session }

const storageKey = 'was-signed-in'

/**
 * Whether somebody is signed in here, as the page came, or was before: then the screen begins to load while that is being
 * found out. A page that another site has led to came without the cookie.
 */
export function wasSignedIn(): boolean {
  if (document.documentElement.dataset.session !== undefined) return true
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

/** As the page came, which has the navigation for that role: undefined where nobody was signed in here. */
export const lastRole = () => document.documentElement.dataset.role

/** A year. */
const cookieSeconds = 31_536_000

function remember(role: Session['role'] | undefined): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the other way is not there without TLS
  document.cookie = `role=${role}; Path=/; SameSite=Strict; Max-Age=${role ? cookieSeconds : 0}`
  try {
    if (role) localStorage.setItem(storageKey, '1')
    else localStorage.removeItem(storageKey)
  } catch {
    // Then nothing begins early.
  }
}

const sessionLookup = Promise.withResolvers<void>()

/** Resolves when it is known who sits here: writes need the token. */
export const sessionFound = sessionLookup.promise

export const sessionState = signal<SessionState>({ state: 'asking' })

/** What writes must say, which no page of somebody else knows. */
export function csrfToken(): string | undefined {
  const { value } = sessionState
  return value.state === 'in' ? value.session.csrf_token : undefined
}

/** Who sat here when the session ended by itself: who signs in again goes on with what they had begun. */
let lastMember: string | undefined

/** The service does not know this browser any more. */
export function signedOut(): void {
  const previous = sessionState.peek()
  if (previous.state !== 'in') return
  lastMember = previous.session.member.id
  sessionState.value = { state: 'out' }
}

async function post(body: { key: string } | { pendingLink: string }): Promise<Session> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw await failureOf(response)
  return ((await response.json()) as { data: Session }).data
}

/** @throws Failure when the key, or the link, is not right. */
export async function signIn(by: { key: string } | { pendingLink: string }): Promise<void> {
  const session = await post(by)
  remember(session.role)
  if (lastMember !== undefined && lastMember !== session.member.id) return reloadPage()
  sessionState.value = { state: 'in', session }
}

/** @throws Failure where the service did not end the session: who leaves is still signed in. */
export async function signOut(): Promise<void> {
  // The button stands in the frame that comes with the page, before who sits here is known.
  await sessionFound
  const token = csrfToken()
  const headers = { ...(token && { 'x-csrf-token': token }) }
  const response = await fetch(`${path}/current`, { method: 'DELETE', headers })
  // Of a session that has ended there is nothing to end.
  if (!response.ok && response.status !== 401) throw await failureOf(response)
  remember(undefined)
  const { sign_out_url } = response.ok ? ((await response.json()) as { sign_out_url?: string }) : {}
  if (sign_out_url) location.assign(sign_out_url)
  else reloadPage()
}

/** The page begins anew: answers, drafts and chats of who sat here are not there for who comes next. */
const reloadPage = () => location.reload()

/** What they may, in one word; undefined while it is not known. */
export const role = () => useSession()?.role

/** The session of who sits here; undefined while it is not known. */
export const useSession = () => (sessionState.value.state === 'in' ? sessionState.value.session : undefined)

/** Whether who sits here changes what is the organization's. The service decides; this keeps from offering what it refuses. */
export const canManage = () => role() === 'owner' || role() === 'admin'
/** Whether they ask models and interns: viewers do not. */
export const canUseModels = () => role() !== undefined && role() !== 'viewer'

/** Whether they can read the state, settings and providers of the service: developers cannot. */
export const canSeeService = () => role() !== undefined && role() !== 'developer'

/** What the first start's link carries in the part of the address that no server sees. */
const linkFrom = (fragment: string) => /^#sign-in=(.+)$/.exec(fragment)?.[1]

/** A link that has not been answered yet. */
let pendingLink: string | undefined
let failedRead: FailedRead | undefined
let cancelRetry: (() => void) | undefined

/**
 * Finds out who sits here: by the link in the address, which is taken out of it, or by the cookie; again where that fails
 * by what passes, unless somebody signs in meanwhile.
 */
export async function findSession(): Promise<void> {
  cancelRetry?.()
  if (sessionState.peek().state === 'in') return
  const answer = await fetchSession().catch(retryLater)
  if (sessionState.peek().state === 'in') return
  sessionState.value = answer
  remember(answer.state === 'in' ? answer.session.role : undefined)
  sessionLookup.resolve()
}

function retryLater(error: unknown): SessionState {
  failedRead = nextFailedRead(failedRead, error)
  const { failure, count: times } = failedRead
  if (isRetryable(failure))
    cancelRetry = runWhenVisible(retryDelayMs(times, Math.random(), failure.retryAfterMs), () => void findSession())
  else pendingLink = undefined
  return { state: 'out', failure }
}

async function fetchSession(): Promise<SessionState> {
  const inAddress = linkFrom(location.hash)
  if (inAddress !== undefined) {
    history.replaceState(null, '', location.pathname + location.search)
    pendingLink = decodeURIComponent(inAddress)
  }
  if (pendingLink !== undefined) {
    const session = await post({ pendingLink })
    pendingLink = undefined
    return { state: 'in', session }
  }
  const response = await fetch(`${path}/current`)
  if (response.ok) return { state: 'in', session: ((await response.json()) as { data: Session }).data }
  if (response.status === 401) return { state: 'out' }
  throw await failureOf(response)
}
