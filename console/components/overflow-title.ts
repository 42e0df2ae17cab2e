/** What is cut off at its end is told whole on hover, unless something else is. */
function look({ target }: Event): void {
  if (!(target instanceof HTMLElement) || target.closest('[title]')) return
  for (let element: HTMLElement | null = target; element?.offsetParent; element = element.parentElement) {
    if (getComputedStyle(element).textOverflow !== 'ellipsis') continue
    if (element.scrollWidth > element.clientWidth && !element.querySelector('[title]')) {
      element.title = element.textContent ?? ''
      // What stands there may be another text the next time.
      element.addEventListener('pointerleave', () => element.removeAttribute('title'), { once: true })
    }
    return
  }
}

document.addEventListener('pointerover', look, { passive: true })
