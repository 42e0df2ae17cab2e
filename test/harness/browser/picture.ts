import type { Page } from 'playwright-core'

/** Saves a picture of the whole screen for a manual check, if the variable PICTURES names a folder. */
export async function picture(page: Page, name: string, width: number, colorScheme: string): Promise<void> {
  const folder = process.env.PICTURES
  if (!folder) return
  // The screen scrolls within the window.
  await page.setViewportSize({ width, height: 2200 })
  await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` })
}
