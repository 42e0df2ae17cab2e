import type { Screen } from '../kit/terminal.ts'

/** Detects pasted text by bracketed paste mode, so that a line break in it does not send a prompt. */
export function watchPaste(input: Screen['input'], output: Screen['output']) {
  let isPasting = false
  const watch = (_text: string | undefined, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true
    if (key?.name === 'paste-end') isPasting = false
  }
  // Prepended, so that it runs before readline, which treats a pasted line break as Enter.
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
