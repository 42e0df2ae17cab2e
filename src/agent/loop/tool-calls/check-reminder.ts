import type { Tool } from '../../tools/tool.ts'

/** Reminds the model once per turn to check its changes: files were changed, and no command was run afterwards. */
export class CheckReminder {
  #hasUncheckedChange = false
  #hasReminded = false

  record(tool: Tool | undefined, { failed }: { failed: boolean }): void {
    if (tool?.kind === 'execute') this.#hasUncheckedChange = false
    else if (tool?.kind === 'edit' && !failed) this.#hasUncheckedChange = true
  }

  /** Returns the reminder if the turn would end with an unchecked change. */
  takeReminder(): string | undefined {
    if (!this.#hasUncheckedChange || this.#hasReminded) return undefined
    this.#hasReminded = true
    return reminder
  }
}

const reminder =
  '<system-reminder>\nYou changed files, and ran nothing since. The instructions of the workspace say how to check a change: do it now, and repair what fails. If it cannot be checked here, say so.\n</system-reminder>'
