/** What the first click of two was on. */
let firstControl: Element | null = null

const controls = 'button, a, input, select, summary, [role="row"], [role="option"]'

/**
 * The second click of a double one is for what the first was on. What that did may have moved something else there: the next
 * row of a list whose first one has gone, whose button does the same to somebody else.
 */
function blockSecondClick(event: MouseEvent): void {
  const control = event.target instanceof Element ? event.target.closest(controls) : null
  if (event.detail < 2) firstControl = control
  else if (control !== null && control !== firstControl) {
    event.preventDefault()
    event.stopPropagation()
  }
}

/** For buttons of a list whose rows have no names of their own: the row that moves up takes over the button. */
export const onFirstClick = (act: () => void) => (event: MouseEvent) => {
  if (event.detail < 2) act()
}

if (typeof document !== 'undefined') document.addEventListener('click', blockSecondClick, true)
