/** Shows the full text of a truncated element on hover, unless it has a title. Importing this file is enough. */
function updateTitle({ target }: Event): void {
  if (!(target instanceof HTMLElement) || target.closest('[title]')) return
  // The body and elements in a fixed position have no `offsetParent`: there is nothing truncated above them.
  for (let element: HTMLElement | null = target; element?.offsetParent; element = element.parentElement) {
    if (getComputedStyle(element).textOverflow !== 'ellipsis') continue
    if (element.scrollWidth > element.clientWidth && !element.querySelector('[title]')) {
      element.title = element.textContent ?? ''
      // The text may have changed on the next hover.
      element.addEventListener('pointerleave', () => element.removeAttribute('title'), { once: true })
    }
    return
  }
}

document.addEventListener('pointerover', updateTitle, { passive: true })
