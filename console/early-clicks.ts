/**
 * Clicks and the focus on a page that the service has rendered, before its script runs. The script renders the same controls in
 * place of the served ones, and each click is then repeated on the new control at the same position.
 */

declare global {
  /** Controls that were clicked, in order. An inline script in `src/api/console/page.ts` records them. */
  var earlyClicks: Element[] | undefined
}

const controlSelector = 'a, button, input, [role="row"]'

/** Call it before the served markup is replaced. @returns a function that repeats the clicks and restores the focus. */
export function saveEarlyClicks(root: Element): () => void {
  const served = controlsIn(root)
  const focused = document.activeElement
  return () => {
    const rendered = controlsIn(root)
    /** The new control; undefined if it differs from the served one. */
    const counterpartOf = (control: Element) => {
      const counterpart = rendered[served.indexOf(control as HTMLElement)]
      return counterpart?.textContent === control.textContent ? counterpart : undefined
    }
    if (focused) counterpartOf(focused)?.focus({ preventScroll: true })
    for (const control of globalThis.earlyClicks ?? []) counterpartOf(control)?.click()
    globalThis.earlyClicks = undefined
  }
}

const controlsIn = (root: Element) => [...root.querySelectorAll<HTMLElement>(controlSelector)]
