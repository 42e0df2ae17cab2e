import type { ToolCall } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'

/** From which time on it is told: who looks again may have a reason. */
const told = { failing: 2, looking: 3 }

/**
 * Notices the same call with the same result, with no other change of files and no other command in between. `note` is
 * what the model is told of it; undefined where there is nothing to tell.
 */
export function createRepeats() {
  const seen = new Map<string, number>()
  return {
    note(tool: Tool | undefined, call: ToolCall, { failed, text }: { failed: boolean; text: string }) {
      // Whoever waits for something asks again and again.
      if (!failed && (tool?.kind === 'other' || tool?.kind === 'think')) return undefined
      const key = JSON.stringify([call.name, call.arguments, text])
      const times = (seen.get(key) ?? 0) + 1
      if (times === 1 && !failed && (tool?.kind === 'edit' || tool?.kind === 'execute')) seen.clear()
      seen.set(key, times)
      const from = failed || tool?.kind === 'execute' ? told.failing : told.looking
      if (times < from) return undefined
      return `[You made the same call before, and it gave the same: made again, it will not give anything else. Do it another way, or say what keeps you from it.]`
    },
  }
}
