import type { ToolCall } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'

/**
 * The number of equal calls at which the first note is added. Calls that neither fail nor run a command, such as reading a file,
 * can have a reason for one repetition.
 */
const firstNotedCount = { failureOrCommand: 2, other: 3 }

const repeatedNote =
  '[This call was made before with the same result. Repeating it will not change the result. Try another way, or say what prevents you.]'

/** Detects a repeated call with the same result, with no file change and no other command in between. */
export class RepeatDetector {
  readonly #counts = new Map<string, number>()

  /** Counts a call. @returns a note for the model if the call is a repetition. */
  record(
    tool: Tool | undefined,
    call: ToolCall,
    { failed, text }: { failed: boolean; text: string },
  ): string | undefined {
    // Tools of these kinds, such as read_process, are polled, so their calls repeat on purpose.
    if (!failed && (tool?.kind === 'other' || tool?.kind === 'think')) return undefined
    const key = JSON.stringify([call.name, call.arguments, text])
    const count = (this.#counts.get(key) ?? 0) + 1
    // A new change or command can change the results of all other calls.
    if (count === 1 && !failed && (tool?.kind === 'edit' || tool?.kind === 'execute')) this.#counts.clear()
    this.#counts.set(key, count)
    const noteFrom = failed || tool?.kind === 'execute' ? firstNotedCount.failureOrCommand : firstNotedCount.other
    return count < noteFrom ? undefined : repeatedNote
  }
}
