/** A call of a tool as a model writes it: its arguments are JSON, unless `raw` says otherwise; `cut` is by the output limit. */
export type Call = { name: string; input?: object; raw?: string; cut?: boolean }

/** A typical mistake of models, and its correction. */
export type Slip = {
  name: string
  call: Call
  /** Whether the call had the intended effect anyway. */
  succeeded?: (message: string) => boolean
  /** The next call, derived only from the message; undefined if the message does not help. */
  next: (message: string) => Call[] | undefined
  /** Whether the corrected call also repairs the task. */
  repairs?: boolean
}

export type Task = {
  name: string
  language: 'JavaScript' | 'Python' | 'shell' | 'Perl'
  prompt: string
  /** The project, without its tests. */
  files: Record<string, string | (() => Buffer)>
  /** The test that checks the result. It is restored before the last check. */
  tests: Record<string, string>
  check: string
  /** The files that the good engineer reads after the README. */
  look: string[]
  repair: Call
  slips: Slip[]
  /** An insufficient repair that the sloppy engineer presents as done, without running the check. */
  hasty?: Call
  /** The context window of the model, if the task needs a small one. */
  windowTokens?: number
}

/** Programs that a language needs. */
export const programs = { JavaScript: 'node', Python: 'python3', shell: 'bash', Perl: 'perl' }

/** The text of a file, without the indentation of the code around it. */
export function text(parts: TemplateStringsArray, ...values: string[]): string {
  const lines = String.raw(parts, ...values)
    .replace(/^\n/, '')
    .replace(/ *$/, '')
    .split('\n')
  const margins = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const margin = Math.min(...margins)
  return lines.map((line) => line.slice(margin)).join('\n')
}

export const run = (command: string, more: object = {}): Call => ({ name: 'shell', input: { command, ...more } })
export const read = (path: string, more: object = {}): Call => ({ name: 'read_file', input: { path, ...more } })
export const patching = (...lines: string[]): Call => ({
  name: 'apply_patch',
  input: { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
})
export const edit = (path: string, old_text: string, new_text: string): Call => ({
  name: 'edit_file',
  input: { path, old_text, new_text },
})
