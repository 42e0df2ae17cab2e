import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { noteForFailure } from '../service/failure-notes.ts'

/**
 * Chromium of Debian: its headless shell, which needs half the processor time, else the whole browser. The tests download
 * nothing.
 */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? ''

/** The reason why tests in a browser are skipped, for the option `skip` of a test. */
export const noBrowser =
  executablePath !== ''
    ? false
    : 'there is no Chromium in /usr/bin on this host: install Debian’s chromium-headless-shell or chromium'

/** `SLOW_PAGES=1` finds tests that read a page before it is ready: answers arrive late, each with a different delay. */
const isSlow = process.env.SLOW_PAGES === '1'

/** A page and its hidden errors: `faults` must stay empty. */
export type WatchedPage = AsyncDisposable & { page: Page; faults: string[] }

/** @param textPx the text size that the user has set, if it is not the default. */
export async function startBrowser({ textPx }: { textPx?: number } = {}): Promise<Browser & AsyncDisposable> {
  const sizeArguments = textPx === undefined ? [] : [`--blink-settings=defaultFontSize=${textPx}`]
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...sizeArguments] })
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() })
}

/** @param origin the only origin that the page can request; every other request is a fault, and fails. */
export async function watchedPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  // Only an event that never happens reaches this limit, even on an overloaded machine.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  await context.route('**/*', (route) => {
    const { protocol, origin: requested } = new URL(route.request().url())
    if (requested === origin || protocol === 'data:' || protocol === 'blob:') return route.fallback()
    faults.push(`asked elsewhere: ${route.request().url()}`)
    return route.abort()
  })
  if (isSlow) await slowDown(page)
  waitForScripts(page)
  await page.addInitScript(() => {
    const pageGlobal = globalThis as unknown as {
      addEventListener: (name: string, listener: (event: any) => void) => void
    }
    pageGlobal.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  return {
    page,
    faults,
    async [Symbol.asyncDispose]() {
      noteForFailure(await describePage(page, faults))
      await context.close()
    },
  }
}

/** Makes `goto` and `reload` wait until the scripts of the console respond to clicks and keys. */
function waitForScripts(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)]
  const waitUntilInteractive = () => page.locator('#console[aria-busy]').waitFor({ state: 'detached' })
  page.goto = async (...args) => {
    const response = await goto(...args)
    await waitUntilInteractive()
    return response
  }
  page.reload = async (...args) => {
    const response = await reload(...args)
    await waitUntilInteractive()
    return response
  }
}

/** The address and the text of a page when it is closed, short enough for the log of CI. */
async function describePage(page: Page, faults: string[]): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: the test needs the visible text only.
  const text = await page.innerText('body', { timeout: 10_000 }).catch((error: Error) => `unreadable: ${error.message}`)
  return [`${page.url()} showed:`, text.replace(/\s*\n\s*/g, '\n').slice(0, 2000), ...faults].join('\n')
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.route('**/api/v1/**', async (route) => {
    await sleep(Math.random() * 700)
    await route.fallback().catch(() => undefined)
  })
}
