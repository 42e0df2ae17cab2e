import { readPerson } from '#identity/sign-in/oidc-person.ts'
import { signInWithOidc } from '#identity/sign-in/sign-in-with-oidc.ts'
import { rootPath } from '#platform/config/public-url.ts'
import { Fault } from '#platform/core/fault.ts'
import { retryAfterHeader } from '#platform/http/response/envelope.ts'
import { faultStatus } from '#platform/http/response/faults.ts'
import { escapeHtml, htmlPage } from '#platform/http/response/html-page.ts'
import type { HttpResponse } from '#platform/http/route.ts'
import type { ApiDeps } from '../../access/deps.ts'
import { clearedFlowCookie, clearedSignedOutCookie, readSignInFlow, type Site } from '../../access/flow-cookie.ts'
import { route } from '../route.ts'
import { toNewSessionResponse } from './new-session.ts'
import { redirectUri, requireOidcClient } from './oidc.ts'

/**
 * Redirects by a page instead of a status. A redirect would still count as a navigation from the issuer's site, for
 * which browsers do not send `SameSite=Strict` cookies. A navigation from this page is same-site.
 */
const redirectTag = (path: string) => `<meta http-equiv="refresh" content="0;url=${escapeHtml(path)}">`

export const getOidcCallback = route({
  method: 'get',
  path: '/sessions/oidc/callback',
  tag: 'sessions',
  key: 'none',
  summary: 'Complete an OpenID Connect sign-in',
  description:
    'For browsers. Creates a session for the member, and redirects to the console. If the settings allow it, the first sign-in creates the member.',
  mediaTypes: ['text/html'],
  headers: { success: ['set-cookie'], failure: ['set-cookie'] },
  errorMediaTypes: ['text/html'],
  faults: ['unauthenticated', 'forbidden', 'not_found', 'rate_limited', 'unavailable'],
  handler: async ({ raw, url }, deps) => {
    // Outside the `try`: without an issuer, this path does not exist and has no page.
    requireOidcClient(deps)
    const { origin, address } = deps.connectionOf(raw)
    const site = { origin, root: rootPath(deps.config) }
    const browser = { address, userAgent: raw.headers['user-agent'] ?? null }
    const { search, searchParams } = new URL(url, origin)
    const state = searchParams.get('state') ?? ''
    try {
      return await deps.signInAttempts.run(address, () => completeSignIn(deps, { raw, search, state, site, browser }))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return htmlPage(
        faultStatus[error.kind],
        { title: 'Not signed in', text: error.message, home: `${site.root}/` },
        { 'set-cookie': clearedFlowCookie(site, state), ...retryAfterHeader(error) },
      )
    }
  },
})

type CallbackParameters = {
  raw: Parameters<ApiDeps['connectionOf']>[0]
  /** The query of the callback's URL, and the `state` in it. */
  search: string
  state: string
  site: Site
  browser: Parameters<typeof signInWithOidc>[2]
}

async function completeSignIn(deps: ApiDeps, parameters: CallbackParameters): Promise<HttpResponse> {
  const { raw, search, state, site, browser } = parameters
  const { origin, root } = site
  const flow = readSignInFlow(raw.headers.cookie, origin, state)
  if (flow === undefined) {
    throw new Fault(
      'unauthenticated',
      'This sign-in was not started in this browser, or it has expired. Start it again.',
    )
  }
  const callbackUrl = new URL(redirectUri(site))
  callbackUrl.search = search
  const person = readPerson(await requireOidcClient(deps).readClaims(flow.secret, callbackUrl), deps.config)
  if (person.roleProblem !== undefined) {
    deps.log.warn(
      { subject: person.subject, reason: person.roleProblem },
      'a member who signed in by OpenID Connect keeps their role: the issuer did not send the role claim',
    )
  }
  const newSession = await signInWithOidc({ ...deps, lifetimes: deps.sessions.lifetimes }, person, browser)
  const { cookie } = await toNewSessionResponse(deps, newSession, raw, origin)
  return htmlPage(
    200,
    { title: 'Signed in', text: 'The console opens.', head: redirectTag(root + flow.returnTo), home: `${root}/` },
    { 'set-cookie': [cookie, clearedFlowCookie(site, state), clearedSignedOutCookie(site)] },
  )
}
