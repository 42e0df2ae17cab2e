/**
 * Takes the pictures of docs/console.md anew ("npm run pictures"; with names of screens only theirs): each screen in both
 * themes, wide and narrow. Look at them afterwards.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startBrowser } from './harness/chromium.ts'
import { signedInPage } from './harness/console.ts'
import { startDemoWorld } from './harness/demo-world.ts'

/** The address of a screen, wide and narrow, and the text that says that all of it is there. */
type Picture = { screen: string; wide: string; narrow?: string; shows: string }

const folder = fileURLToPath(new URL('../docs/console', import.meta.url))
const named = process.argv.slice(2)
/** Small files: documentation is cloned with the code. */
const quality = 50

mkdirSync(folder, { recursive: true })
await using world = await startDemoWorld()
await using browser = await startBrowser()
const ids = await world.ask(18)

const pictures: Picture[] = [
  { screen: 'requests', wide: `/requests/${ids[1]}`, narrow: '/requests', shows: 'anthropic/claude-sonnet-5' },
  {
    screen: 'guardrails',
    wide: `/guardrails/${world.guardrailId}`,
    narrow: '/guardrails',
    shows: 'Only what the contract names',
  },
]

for (const { screen, wide, narrow = wide, shows } of pictures) {
  if (named.length > 0 && !named.includes(screen)) continue
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [path, width, height] of [
      [wide, 1280, 720],
      [narrow, 390, 844],
    ] as const) {
      await using watched = await signedInPage(browser, world.service, path, {
        colorScheme,
        viewport: { width, height },
      })
      await watched.page.getByText(shows).first().waitFor()
      await watched.page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
      await watched.page.screenshot({ path: `${folder}/${screen}-${width}-${colorScheme}.jpg`, type: 'jpeg', quality })
    }
  }
}
process.exit(0)
