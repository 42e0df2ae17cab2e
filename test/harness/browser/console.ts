import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startTestService, type TestService } from '../service/service.ts'
import { type WatchedPage, watchedPage } from './chromium.ts'

/** A service that serves the console. */
export function startConsole(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  // Settings have the form of environment variables.
  return startTestService({ ...options, settings: { ...options.settings, console: 'true' as never } })
}

/** A page of the console, signed in with a key. */
export async function signedInPage(
  browser: Browser,
  service: Pick<TestService, 'url' | 'managementKey'>,
  path: string,
  options: BrowserContextOptions & ({ key?: string; link?: never } | { link?: string; key?: never }) = {},
): Promise<WatchedPage> {
  const { key, link, ...context } = options
  const credentials = link === undefined ? { key: key ?? service.managementKey } : { link }
  const { origin } = new URL(service.url)
  const pageOfConsole = await watchedPage(browser, origin, context)
  const headers = { origin }
  const response = await pageOfConsole.page.request.post(`${service.url}/sessions`, { data: credentials, headers })
  if (response.status() !== 201) throw new Error(`not signed in: ${await response.text()}`)
  await pageOfConsole.page.goto(origin + path)
  return pageOfConsole
}

/** From now on, removes the answers that pages contain, so that the script requests them. */
export async function removeFirstResponses(page: Page): Promise<void> {
  await page.route('**/*', async (route) => {
    if (!route.request().isNavigationRequest()) return route.fallback()
    const response = await route.fetch()
    const body = (await response.text()).replace(/<script type="application\/json".*?<\/script>/, '')
    return route.fulfill({ response, body })
  })
}

let members = 0

/** Adds a member with the role `access`. @returns a one-time sign-in token for them. */
export async function linkForRole(service: TestService, access: string): Promise<string> {
  const member = { email: `${access}-${++members}@example.com`, name: `The ${access}`, access }
  const added = await service.manage('POST', '/organization/members', member)
  const link = await service.manage('POST', '/sessions/links', { user_id: added.body.data?.id })
  if (link.status !== 201) throw new Error(`no link: ${added.text} ${link.text}`)
  return link.body.data.token
}
