/** The control of the first click of a double click. */
let firstControl: Element | null = null

const controls = 'button, a, input, select, summary, [role="row"], [role="option"]'

/**
 * Ignores the second click of a double click on another control. The first click may have moved it there, for example the
 * button of the next row after a row was removed.
 */
function blockSecondClick(event: MouseEvent): void {
  const control = event.target instanceof Element ? event.target.closest(controls) : null
  if (event.detail < 2) firstControl = control
  else if (control !== null && control !== firstControl) {
    event.preventDefault()
    event.stopPropagation()
  }
}

/**
 * Ignores the second click of a double click. For buttons of rows without a `key`, because the next row reuses the button of a
 * removed row.
 */
export const onFirstClick = (onClick: () => void) => (event: MouseEvent) => {
  if (event.detail < 2) onClick()
}

if (typeof document !== 'undefined') document.addEventListener('click', blockSecondClick, true)
