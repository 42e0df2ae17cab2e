import type { Screen } from '../kit/terminal.ts'

/** The progress line appears after this time without output. */
const quietMs = 1000

/** Moves the cursor to the start of the line, and erases the line. */
const eraseLine = '\r\x1b[2K'

/** Displays how long the intern has been working, if it printed nothing for a while and the last line is complete. */
export function createProgressLine(output: Screen['output'], applyStyle: (text: string) => string) {
  let isVisible = false
  let lastOutputAt = 0
  const beforeOutput = () => {
    lastOutputAt = performance.now()
    if (isVisible) output.write(eraseLine)
    isVisible = false
  }
  return {
    /** Must be called before each output: erases the progress line and restarts the quiet time. */
    beforeOutput,
    /** @returns a function that stops the progress line. */
    start(isAtLineStart: () => boolean): () => void {
      if (!output.isTTY) return () => {}
      const startedAt = performance.now()
      lastOutputAt = startedAt
      const timer = setInterval(() => {
        if (!isAtLineStart() || performance.now() - lastOutputAt < quietMs) return
        output.write(`${eraseLine}${applyStyle(`working, ${Math.round((performance.now() - startedAt) / 1000)} s`)}`)
        isVisible = true
      }, quietMs / 2)
      return () => {
        clearInterval(timer)
        beforeOutput()
      }
    },
  }
}
