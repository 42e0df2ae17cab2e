import type { Page } from 'playwright-core'

/** Parts of a page that cannot be read or pressed: clipped text, overlapping controls, a page that scrolls sideways. */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate(findFaults)

/** Runs in the page. @returns a description of each fault */
function findFaults(): string[] {
  const { document, getComputedStyle, innerWidth } = globalThis as any
  const visible = [...document.querySelectorAll('#console *')].filter((element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  })
  const describe = (element: any) => element.outerHTML.slice(0, 150)
  const tooWide = [document.documentElement, document.querySelector('main')].filter(
    (element) => element.scrollWidth > Math.min(innerWidth, element.clientWidth) + 1,
  )
  const clipped = visible.filter((element) => {
    const { overflowX, overflowY, textOverflow } = getComputedStyle(element)
    const hasText = [...element.childNodes].some((node: any) => node.nodeType === 3 && node.data.trim() !== '')
    const isHigh = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2
    const isWide = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 2
    return hasText && (isHigh || (isWide && textOverflow !== 'ellipsis'))
  })
  const controls = visible.filter((element) => element.matches('button, a, input, select, textarea'))
  const boxes = controls.map((element) => element.getBoundingClientRect())
  const covering = controls.filter((control, i) =>
    boxes.some((box, other) => {
      if (other <= i || control.contains(controls[other]) || control.closest('svg')) return false
      const overlapWidth = Math.min(box.right, boxes[i].right) - Math.max(box.left, boxes[i].left)
      const overlapHeight = Math.min(box.bottom, boxes[i].bottom) - Math.max(box.top, boxes[i].top)
      return overlapWidth > 2 && overlapHeight > 2
    }),
  )
  return [
    ...tooWide.map((element) => `pushed sideways: ${element.tagName}`),
    ...clipped.map((element) => `cut off: ${describe(element)}`),
    ...covering.map((element) => `upon another: ${describe(element)}`),
  ]
}
