/**
 * Moves the focus when the focused element is removed, disabled or moved in its list, or another page opens. Otherwise the
 * browser would move it to the body. It never moves to a button, which a key held too long would press.
 */

/** The focused element. `from`: the previous one, if the element is in a toast. */
type Spot = { element: HTMLElement; from?: Spot | undefined }

let currentSpot: Spot | undefined
/** Elements that get the focus back when a dialog closes. */
const keptSpots = new Set<Spot>()
/** Whether another page was opened whose heading is not rendered yet. */
let isHeadingPending = false

/** After the removal of one of these the next or the previous one gets the focus. */
const items = 'tr, li, article, a'
/** Containers that get the focus when a part of them is removed. */
const groups = 'tr, li, article, section, fieldset, form, table, dialog'
const passing = '.toasts'

const heading = () => document.querySelector<HTMLElement>('main h1')
const isDialogOpen = () => document.querySelector('dialog[open]') !== null
const isLost = () => document.activeElement === document.body || document.activeElement === null

/** Focuses the heading of a page that was opened, unless a field of it has the focus. */
export function openedPage(): void {
  // The redirect from "/" is not a user action.
  if (!navigator.userActivation.hasBeenActive) return
  isHeadingPending = true
  seekHeading()
}

function seekHeading(): void {
  // Continues when the dialog closes.
  if (isDialogOpen()) return
  const main = document.querySelector('main')
  const isTaken = document.activeElement?.matches('main :is(input, textarea, select, [autofocus])')
  const to = heading()
  isHeadingPending = !isTaken && !to
  if (!isTaken) focus(to ?? main)
}

/** Remembers the focus. @returns a function that restores it, or focuses the successor of the element. */
export function keepFocus(): () => void {
  const spot = currentSpot && { element: currentSpot.element, from: currentSpot.from }
  if (spot) keptSpots.add(spot)
  return () => {
    if (spot) keptSpots.delete(spot)
    currentSpot = isHeadingPending ? undefined : spot
    // Elements outside of an open dialog cannot have the focus.
    currentSpot?.element.focus({ preventScroll: true })
  }
}

function focus(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) {
    element.tabIndex = -1
    const leave = () => {
      // Another window has the focus; it returns to this element.
      if (document.activeElement === element) return
      element.removeAttribute('tabindex')
      element.removeEventListener('blur', leave)
    }
    element.addEventListener('blur', leave)
  }
  element.focus({ preventScroll: true })
  if (element.matches(':focus-visible')) element.scrollIntoView({ block: 'nearest' })
}

/** The element that replaces a removed one: named by `data-then`, else a sibling, else the container. */
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
  // Hidden elements cannot have the focus.
  if (isLost() && !isDialogOpen()) currentSpot = undefined
}

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    currentSpot = { element: target, from: target.closest(passing) ? (currentSpot?.from ?? currentSpot) : undefined }
  })
  // A click beside all controls removes the focus.
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Element && target.closest(passing))) currentSpot = undefined
  })
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] }
  new MutationObserver(onMutation).observe(document.body, options)
}
