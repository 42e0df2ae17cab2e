import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Violations of WCAG 2.2 AA, as `rule: where`. Adds rule 1.4.10, which axe does not check: controls beyond the edge of
 * the window that scrolling does not reach. The page's own policy does not apply to scripts of a debugger.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const axeViolations = await page.evaluate(async () => {
    const { axe } = globalThis as any
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      // Details of elements that pass take more time than the checks.
      resultTypes: ['violations'],
    })
    return violations.flatMap(({ id, nodes }: any) =>
      nodes.map(({ target, failureSummary }: any) => `${id}: ${target} ${failureSummary}`),
    )
  })
  return [...axeViolations, ...(await page.evaluate(findControlsBeyondEdge))]
}

/** Runs in the page: finds controls beyond the edge of the window that no scrolling shows. */
function findControlsBeyondEdge(): string[] {
  const { document, getComputedStyle, innerWidth } = globalThis as any
  // Only the screen itself scrolls down; a table within it can scroll to the side.
  const isInScrollArea = (element: any): boolean =>
    Boolean(element?.closest('main > *')) &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || isInScrollArea(element.parentElement))
  return [...document.querySelectorAll('button, a, input, select, textarea')]
    .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((control) => {
      const { left, right, width } = control.getBoundingClientRect()
      return width > 1 && (right > innerWidth + 1 || left < -1) && !isInScrollArea(control.parentElement)
    })
    .map((control) => `beyond the edge: ${control.outerHTML.slice(0, 200)}`)
}
