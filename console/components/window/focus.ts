/**
 * Moves the focus when the focused element is removed, disabled or moved in its list, or another page opens. Otherwise the
 * browser would move it to the body. It never moves to a button, which a key held too long would press.
 */

/** The focused element. `from`: the previous one, if the element is in a toast. */
type FocusTarget = { element: HTMLElement; from?: FocusTarget | undefined }

let current: FocusTarget | undefined
/** Elements that get the focus back when a dialog closes. */
const savedTargets = new Set<FocusTarget>()
/** Whether another page was opened whose heading is not rendered yet. */
let isHeadingPending = false
/** The replacement of a removed element, which got the focus automatically. */
let focusedReplacement: Element | undefined

/** After the removal of one of these elements, its next or previous sibling gets the focus. */
const itemSelector = 'tr, li, article, a'
/** Containers that get the focus when a part of them is removed. */
const groupSelector = 'tr, li, article, section, fieldset, form, table, dialog'
const toastSelector = '.toasts'

const heading = () => document.querySelector<HTMLElement>('main h1')
const isDialogOpen = () => document.querySelector('dialog[open]') !== null
const hasNoFocus = () => document.activeElement === document.body || document.activeElement === null

/** Focuses the heading of a page that was opened, unless a field of it has the focus. */
export function focusOpenedPage(): void {
  // The redirect from "/" is not a user action.
  if (!navigator.userActivation.hasBeenActive) return
  isHeadingPending = true
  focusHeading()
}

function focusHeading(): void {
  // Continues when the dialog closes.
  if (isDialogOpen()) return
  const main = document.querySelector('main')
  const isFieldFocused = document.activeElement?.matches('main :is(input, textarea, select, [autofocus])')
  const to = heading()
  isHeadingPending = !isFieldFocused && !to
  if (!isFieldFocused) focus(to ?? main)
}

/** Remembers the focus. @returns a function that restores it, or focuses the successor of the element. */
export function saveFocus(): () => void {
  const focusTarget = current && { element: current.element, from: current.from }
  if (focusTarget) savedTargets.add(focusTarget)
  return () => {
    if (focusTarget) savedTargets.delete(focusTarget)
    // An element that the dialog has created, such as a secret, can have the focus.
    const { activeElement } = document
    if (!hasNoFocus() && activeElement !== focusedReplacement && !activeElement?.closest('dialog')) return
    current = isHeadingPending ? undefined : focusTarget
    // Elements outside of an open dialog cannot have the focus.
    current?.element.focus({ preventScroll: true })
  }
}

function focus(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) {
    element.tabIndex = -1
    const onBlur = () => {
      // Another window has the focus; it returns to this element.
      if (document.activeElement === element) return
      element.removeAttribute('tabindex')
      element.removeEventListener('blur', onBlur)
    }
    element.addEventListener('blur', onBlur)
  }
  element.focus({ preventScroll: true })
  if (element.matches(':focus-visible')) element.scrollIntoView({ block: 'nearest' })
}

/** The element that gets the focus of a removed one: the one that `data-then` names, or a sibling, or the container, in this order. */
function replacementOf({ element }: FocusTarget, records: MutationRecord[]): Element | null {
  const replacementId = element.closest<HTMLElement>('[data-then]')?.dataset.then
  if (replacementId) return document.getElementById(replacementId)
  for (const { target, removedNodes, nextSibling, previousSibling } of records) {
    const removedNode = [...removedNodes].find((node) => node.contains(element))
    if (!(removedNode instanceof Element) || !(target instanceof Element) || !target.isConnected) continue
    if (removedNode.matches(itemSelector)) {
      const isSibling = (node: Node | null) =>
        node instanceof Element && node.parentNode === target && node.tagName === removedNode.tagName
      for (let node = nextSibling; node; node = node.nextSibling) if (isSibling(node)) return node as Element
      for (let node = previousSibling; node; node = node.previousSibling) if (isSibling(node)) return node as Element
    }
    const group = target.closest(groupSelector)
    return group?.textContent ? group : null
  }
  return null
}

function followReplacement(focusTarget: FocusTarget, records: MutationRecord[]): void {
  if (focusTarget.from) followReplacement(focusTarget.from, records)
  if (focusTarget.element.isConnected) return
  const next =
    focusTarget.from?.element ?? replacementOf(focusTarget, records) ?? heading() ?? document.querySelector('main')
  if (next instanceof HTMLElement) focusTarget.element = next
}

function onMutation(records: MutationRecord[]): void {
  if (isHeadingPending && !isDialogOpen()) {
    if (!hasNoFocus() && !document.activeElement?.matches('main')) isHeadingPending = false
    else if (heading()) focusHeading()
  }
  for (const focusTarget of savedTargets) followReplacement(focusTarget, records)
  if (!current) return
  followReplacement(current, records)
  if (!hasNoFocus() || current.element.matches(':disabled')) return
  const { element } = current
  focus(element)
  focusedReplacement = element
  // Hidden elements cannot have the focus.
  if (hasNoFocus() && !isDialogOpen()) current = undefined
}

if (typeof document !== 'undefined') {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    current = { element: target, from: target.closest(toastSelector) ? (current?.from ?? current) : undefined }
  })
  // A click beside all controls removes the focus.
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Element && target.closest(toastSelector))) current = undefined
  })
  const options = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] }
  new MutationObserver(onMutation).observe(document.body, options)
}
