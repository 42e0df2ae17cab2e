import type { Tool } from '../../tools/tool.ts'

/** Tracks whether files were changed without running a command afterwards. */
export function createCheckReminder() {
  let hasUncheckedChange = false
  let hasReminded = false
  return {
    record(tool: Tool | undefined, { failed }: { failed: boolean }) {
      if (tool?.kind === 'execute') hasUncheckedChange = false
      else if (tool?.kind === 'edit' && !failed) hasUncheckedChange = true
    },
    /** Returns a reminder for the model if the turn ends with an unchecked change, once per turn. */
    reminder() {
      if (!hasUncheckedChange || hasReminded) return undefined
      hasReminded = true
      return '<system-reminder>\nYou changed files, and ran nothing since. The instructions of the workspace say how to check a change: do it now, and repair what fails. If it cannot be checked here, say so.\n</system-reminder>'
    },
  }
}
