/** Scroll positions by address, each by the class of the scrolling element. */
const positions = new Map<string, Map<string, number>>()

/** Lists load after the page, and slowly over a slow connection. */
const maxWaitMs = 60_000

const nameOf = ({ className, tagName }: Element) => `${tagName} ${className}`

/** Records scroll positions, and restores them when the user goes back or forward. */
export function rememberScrollPositions(): void {
  document.addEventListener(
    'scroll',
    ({ target }) => {
      if (!(target instanceof Element)) return
      const page = positions.get(location.href) ?? new Map<string, number>()
      positions.set(location.href, page.set(nameOf(target), target.scrollTop))
    },
    { capture: true, passive: true },
  )
  addEventListener('popstate', () => restore(new Map(positions.get(location.href))))
}

/** Scrolls each element as soon as it is high enough, unless the user scrolls first. */
function restore(expected: Map<string, number>): void {
  const startedAt = performance.now()
  const href = location.href
  const stopping = new AbortController()
  for (const input of ['wheel', 'pointerdown', 'keydown'])
    addEventListener(input, () => stopping.abort(), { signal: stopping.signal, passive: true })
  const step = () => {
    if (stopping.signal.aborted || location.href !== href) return
    for (const [name, top] of expected) {
      const element = [...document.querySelectorAll('main, main *')].find((one) => nameOf(one) === name)
      if (!element || element.scrollHeight < top + element.clientHeight) continue
      element.scrollTop = top
      expected.delete(name)
    }
    if (expected.size === 0 || performance.now() - startedAt > maxWaitMs) stopping.abort()
    else requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
