import type { Browser, BrowserContextOptions } from 'playwright-core'
import { type WatchedPage, watchedPage } from './chromium.ts'
import { startTestService, type TestService } from './service.ts'

/** A service that serves the console. */
export function startConsole(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  // Settings are read as the environment gives them.
  return startTestService({ ...options, settings: { ...options.settings, console: 'true' as never } })
}

/** A page of the console, signed in with a key. */
export async function signedInPage(
  browser: Browser,
  service: Pick<TestService, 'url' | 'managementKey'>,
  path: string,
  options: BrowserContextOptions & { key?: string } = {},
): Promise<WatchedPage> {
  const { key = service.managementKey, ...context } = options
  const { origin } = new URL(service.url)
  const watched = await watchedPage(browser, origin, context)
  const data = { id: 'session', csrf_token: 'token', role: 'owner', member: 'ada@example.com', workspace: 'default' }
  await watched.page.context().route('**/api/v1/**', async (route) => {
    if (route.request().url().endsWith('/sessions/current')) return route.fulfill({ json: { data } })
    return route.fallback({ headers: { ...route.request().headers(), authorization: `Bearer ${key}` } })
  })
  await watched.page.goto(origin + path)
  return watched
}
