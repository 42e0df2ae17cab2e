import type { Screen } from './screen.ts'

/** The intern may pause this long without a sign. */
const quietMs = 1000

/** Where a line begins, and nothing was said for a while, says how long the intern has been at work. */
export function signOfWork(output: Screen['output'], styled: (text: string) => string) {
  let shown = false
  let saidAt = 0
  const clear = () => {
    saidAt = performance.now()
    if (shown) output.write('\r\x1b[2K')
    shown = false
  }
  return {
    clear,
    begin(startsLine: () => boolean): () => void {
      if (!output.isTTY) return () => {}
      const begunAt = performance.now()
      saidAt = begunAt
      const timer = setInterval(() => {
        if (!startsLine() || performance.now() - saidAt < quietMs) return
        output.write(`\r\x1b[2K${styled(`working, ${Math.round((performance.now() - begunAt) / 1000)} s`)}`)
        shown = true
      }, quietMs / 2)
      return () => {
        clearInterval(timer)
        clear()
      }
    },
  }
}
