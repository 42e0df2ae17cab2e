import type { Page } from 'playwright-core'

/** Parts of a page that cannot be read or pressed: clipped text, overlapping controls, a page that scrolls sideways. */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate(lookForFaults)

/** Runs in the page. */
function lookForFaults(): string[] {
  const { document, getComputedStyle, innerWidth } = globalThis as any
  const seen = [...document.querySelectorAll('#console *')].filter((element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  })
  const named = (element: any) => element.outerHTML.slice(0, 150)
  const wide = [document.documentElement, document.querySelector('main')].filter(
    (element) => element.scrollWidth > Math.min(innerWidth, element.clientWidth) + 1,
  )
  const cut = seen.filter((element) => {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element)
    const hasText = [...element.childNodes].some((node: any) => node.nodeType === 3 && node.data.trim() !== '')
    const isHigh = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2
    const isWide = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 2
    return hasText && (isHigh || (isWide && textOverflow !== 'ellipsis'))
  })
  const controls = seen.filter((element) => element.matches('button, a, input, select, textarea'))
  const boxes = controls.map((element) => element.getBoundingClientRect())
  const upon = controls.filter((control, at) =>
    boxes.some((box, other) => {
      if (other <= at || control.contains(controls[other]) || control.closest('svg')) return false
      const across = Math.min(box.right, boxes[at].right) - Math.max(box.left, boxes[at].left)
      const down = Math.min(box.bottom, boxes[at].bottom) - Math.max(box.top, boxes[at].top)
      return across > 2 && down > 2
    }),
  )
  return [
    ...wide.map((element) => `pushed sideways: ${element.tagName}`),
    ...cut.map((element) => `cut off: ${named(element)}`),
    ...upon.map((element) => `upon another: ${named(element)}`),
  ]
}
