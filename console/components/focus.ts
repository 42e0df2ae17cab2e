/**
 * Keeps the focus from being lost to the page's body: what had it goes, is busy for a while or is moved in its list, or
 * another page is opened. It never goes to a button, which a key held down a little too long would press.
 */

/** What has the focus; `from`: what had it before something that passes. */
type Spot = { element: HTMLElement; from?: Spot | undefined }

let currentSpot: Spot | undefined
/** What the focus comes back to when a dialog closes. */
const keptSpots = new Set<Spot>()
/** Another page was opened, whose heading is not there yet. */
let isHeadingPending = false

/** Of these the next one follows, or the one before. */
const items = 'tr, li, article, a'
/** In these the focus stays, where another part of them goes. */
const groups = 'tr, li, article, section, fieldset, form, table, dialog'
const passing = '.toasts'

const heading = () => document.querySelector<HTMLElement>('main h1')
const isDialogOpen = () => document.querySelector('dialog[open]') !== null
const isLost = () => document.activeElement === document.body || document.activeElement === null

/** Who opened another page is at its heading; who types in a field of it stays there. */
export function openedPage(): void {
  // The address "/" leads to the first screen, and nobody has opened that.
  if (!navigator.userActivation.hasBeenActive) return
  isHeadingPending = true
  seekHeading()
}

function seekHeading(): void {
  // It is at the heading once the dialog closes.
  if (isDialogOpen()) return
  const main = document.querySelector('main')
  const isTaken = document.activeElement?.matches('main :is(input, textarea, select, [autofocus])')
  const to = heading()
  isHeadingPending = !isTaken && !to
  if (!isTaken) focus(to ?? main)
}

/** Notes where the focus is. @returns what brings it back there, or to what is there then. */
export function keepFocus(): () => void {
  const spot = currentSpot && { element: currentSpot.element, from: currentSpot.from }
  if (spot) keptSpots.add(spot)
  return () => {
    if (spot) keptSpots.delete(spot)
    currentSpot = isHeadingPending ? undefined : spot
    // Nothing around a dialog can have it: then it has it once that has gone.
    currentSpot?.element.focus({ preventScroll: true })
  }
}

function focus(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) {
    element.tabIndex = -1
    const leave = () => {
      // Another window has the focus: it comes back to this element.
      if (document.activeElement === element) return
      element.removeAttribute('tabindex')
      element.removeEventListener('blur', leave)
    }
    element.addEventListener('blur', leave)
  }
  element.focus({ preventScroll: true })
  if (element.matches(':focus-visible')) element.scrollIntoView({ block: 'nearest' })
}

/** What stands where something was: as its own attribute `data-then` says, else beside it, else around it. */
function successor({ element }: Spot, records: MutationRecord[]): Element | null {
  const named = element.closest<HTMLElement>('[data-then]')?.dataset.then
  if (named) return document.getElementById(named)
  for (const { target, removedNodes, nextSibling, previousSibling } of records) {
    const removedNode = [...removedNodes].find((node) => node.contains(element))
    if (!(removedNode instanceof Element) || !(target instanceof Element) || !target.isConnected) continue
    if (removedNode.matches(items)) {
      const isAlike = (node: Node | null) =>
        node instanceof Element && node.parentNode === target && node.tagName === removedNode.tagName
      for (let node = nextSibling; node; node = node.nextSibling) if (isAlike(node)) return node as Element
      for (let node = previousSibling; node; node = node.previousSibling) if (isAlike(node)) return node as Element
    }
    const around = target.closest(groups)
    return around?.textContent ? around : null
  }
  return null
}

function follow(spot: Spot, records: MutationRecord[]): void {
  if (spot.from) follow(spot.from, records)
  if (spot.element.isConnected) return
  const next = spot.from?.element ?? successor(spot, records) ?? heading() ?? document.querySelector('main')
  if (next instanceof HTMLElement) spot.element = next
}

function onMutation(records: MutationRecord[]): void {
  if (isHeadingPending && !isDialogOpen()) {
    if (!isLost() && !document.activeElement?.matches('main')) isHeadingPending = false
    else if (heading()) seekHeading()
  }
  for (const spot of keptSpots) follow(spot, records)
  if (!currentSpot) return
  follow(currentSpot, records)
  if (!isLost() || currentSpot.element.matches(':disabled')) return
  const { element } = currentSpot
  focus(element)
  // What is hidden takes none.
  if (isLost() && !isDialogOpen()) currentSpot = undefined
}

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    currentSpot = { element: target, from: target.closest(passing) ? (currentSpot?.from ?? currentSpot) : undefined }
  })
  // Who presses beside everything wants the focus nowhere.
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Element && target.closest(passing))) currentSpot = undefined
  })
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] }
  new MutationObserver(onMutation).observe(document.body, options)
}
