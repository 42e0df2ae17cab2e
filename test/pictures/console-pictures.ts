/**
 * Takes the pictures of docs/console.md again ("npm run pictures"; with names of screens only theirs): each screen in both
 * themes, wide and narrow. Look at them afterwards. `INTO` names another folder, which gets them whole, and widest too.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../harness/browser/chromium.ts'
import { signedInPage } from '../harness/browser/console.ts'
import { type Picture, picturesOf } from './list.ts'
import { type PictureWorld, startPictureWorld } from './world.ts'

const into = process.env.INTO
const folder = into ?? fileURLToPath(new URL('../../docs/console', import.meta.url))
/** Small files: documentation is cloned with the code. */
const format = into ? ({ type: 'png' } as const) : ({ type: 'jpeg', quality: 50 } as const)
const sizes = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
  ...(into ? [{ width: 2560, height: 1440 }] : []),
]

await takePictures(process.argv.slice(2))
// Handles of other modules must not keep this process alive: everything that it started has ended.
process.exit()

async function takePictures(named: string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await using world = await startPictureWorld()
  await using browser = await startBrowser()
  const pictures = picturesOf(world).filter(({ screen }) => named.length === 0 || named.includes(screen))
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of sizes) await takeAll(browser, world, pictures, { colorScheme, viewport })
  }
}

type Look = { colorScheme: 'light' | 'dark'; viewport: { width: number; height: number } }

/** One browser window, which goes from screen to screen. */
async function takeAll(browser: Browser, { service }: PictureWorld, pictures: Picture[], look: Look): Promise<void> {
  await using consolePage = await signedInPage(browser, service, '/service', look)
  const { page } = consolePage
  for (const { screen, wide, narrow = wide, shows, does } of pictures) {
    await page.goto(new URL(look.viewport.width < 900 ? narrow : wide, service.url).href)
    await does?.(page)
    await page.getByText(shows).filter({ visible: true }).first().waitFor()
    await settled(page)
    const name = `${screen}-${look.viewport.width}-${look.colorScheme}.${into ? 'png' : 'jpg'}`
    await page.screenshot({ path: `${folder}/${name}`, ...format })
    console.log(name)
  }
  if (consolePage.faults.length > 0) throw new Error(consolePage.faults.join('\n'))
}

/** Waits until no part of the page is loading. Does not wait for streams, which stay open. */
async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true], .progress.on, .waiting').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
}
