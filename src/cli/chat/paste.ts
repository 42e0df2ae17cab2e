import type { Screen } from './screen.ts'

/** Whether text is being pasted: terminals say so when they are asked to, so that a line break in it sends nothing. */
export function pasteWatch(input: Screen['input'], output: Screen['output']) {
  let isPasting = false
  const watch = (_text: string | undefined, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true
    if (key?.name === 'paste-end') isPasting = false
  }
  // Before the reader of lines, which would take a pasted line break for Enter.
  input.prependListener('keypress', watch)
  output.write('\x1b[?2004h')
  return {
    isPasting: () => isPasting,
    end() {
      input.off('keypress', watch)
      output.write('\x1b[?2004l')
    },
  }
}
