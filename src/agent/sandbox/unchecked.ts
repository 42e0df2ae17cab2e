import type { Tool } from '../tools/tool.ts'

/** Knows of files that were changed, and of no command that ran since. */
export function createUnchecked() {
  let changed = false
  let reminded = false
  return {
    saw(tool: Tool | undefined, { failed }: { failed: boolean }) {
      if (tool?.kind === 'execute') changed = false
      else if (tool?.kind === 'edit' && !failed) changed = true
    },
    /** What the model is told, once in a turn, when it ends so. */
    reminder() {
      if (!changed || reminded) return undefined
      reminded = true
      return '<system-reminder>\nYou changed files, and ran nothing since. What the workspace tells you says how a change is checked: do it now, and repair what fails. If it cannot be checked here, say so.\n</system-reminder>'
    },
  }
}
