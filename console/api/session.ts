import { signal } from '@preact/signals'
import { asFailure, type Failure, failureOf } from './failure.ts'
import type { Session } from './types.ts'

const path = '/api/v1/sessions'

/** Who sits here. `asking`: not known yet. */
export type SignedIn = { state: 'asking' } | { state: 'out'; failure?: Failure } | { state: 'in'; session: Session }

export const signedIn = signal<SignedIn>({ state: 'asking' })

/** What writes must say, which no page of somebody else knows. */
export function csrfToken(): string | undefined {
  const { value } = signedIn
  return value.state === 'in' ? value.session.csrf_token : undefined
}

/** The service does not know this browser any more. */
export function signedOut(): void {
  if (signedIn.peek().state === 'in') signedIn.value = { state: 'out' }
}

async function post(body: { key: string } | { link: string }): Promise<Session> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw await failureOf(response)
  return ((await response.json()) as { data: Session }).data
}

/** @throws Failure when the key, or the link, is not right. */
export async function signIn(by: { key: string } | { link: string }): Promise<void> {
  signedIn.value = { state: 'in', session: await post(by) }
}

export async function signOut(): Promise<void> {
  const token = csrfToken()
  await fetch(`${path}/current`, { method: 'DELETE', headers: { ...(token && { 'x-csrf-token': token }) } })
  signedIn.value = { state: 'out' }
}

/** What the first start's link carries in the part of the address that no server sees. */
const linkIn = (fragment: string) => /^#sign-in=(.+)$/.exec(fragment)?.[1]

/** Finds out who sits here: by the link in the address, which is taken out of it, or by the cookie. */
export async function findSession(): Promise<void> {
  const link = linkIn(location.hash)
  try {
    if (link !== undefined) {
      history.replaceState(null, '', location.pathname + location.search)
      return await signIn({ link: decodeURIComponent(link) })
    }
    const response = await fetch(`${path}/current`)
    if (response.ok) {
      signedIn.value = { state: 'in', session: ((await response.json()) as { data: Session }).data }
    } else {
      const failure = await failureOf(response)
      signedIn.value = response.status === 401 ? { state: 'out' } : { state: 'out', failure }
    }
  } catch (error) {
    signedIn.value = { state: 'out', failure: asFailure(error) }
  }
}
