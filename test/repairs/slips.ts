import { failed, lineIn, pathIn } from './reading.ts'
import { type Call, edit, patching, read, run, type Slip } from './task.ts'

/** The mistakes of the sloppy engineer. The next step follows from the tool's message alone. */

const done = (message: string) => !failed(message)
const exitedWithZero = (message: string) => message.includes('[exit code 0]')

/** The simulated engineer continues only with a file that the message names. */
export const wrongPath = (name: string, path: string): Slip => ({
  name,
  call: read(path),
  succeeded: done,
  next: (message) => {
    const named = pathIn(message, path)
    return named === undefined ? undefined : [read(named)]
  },
})

/** A patch with outdated lines of the file. The engineer copies the right lines from the message that shows them. */
export function staleLines(name: string, lines: string[], wrong: string[]): Slip {
  let now = lines
  return {
    name,
    call: patching(...lines),
    repairs: true,
    succeeded: done,
    next: (message) => {
      const right = new Map(wrong.map((line) => [line, lineIn(message, line)]))
      if (![...right.values()].some((line) => line !== undefined)) return undefined
      now = now.map((line) => (right.get(line.slice(1)) === undefined ? line : line[0] + right.get(line.slice(1))!))
      return [patching(...now)]
    },
  }
}

/** A patch in a foreign format, or with another fault outside of its content. */
export const oddPatch = (name: string, patch: string, expected: RegExp, right: Call): Slip => ({
  name,
  call: { name: 'apply_patch', input: { patch } },
  repairs: true,
  succeeded: done,
  next: (message) => (expected.test(message) ? [right] : undefined),
})

/** An edit of a text that the file does not contain. */
export const wrongText = (name: string, path: string, old: string, replaced: (line: string) => string): Slip => ({
  name,
  call: edit(path, old, replaced(old)),
  repairs: true,
  succeeded: done,
  next: (message) => {
    const line = lineIn(message, old)
    return line === undefined ? undefined : [edit(path, line, replaced(line))]
  },
})

/** A wrong call. It is corrected only if the message contains the right word. */
export const untilMessage = (name: string, call: Call, expected: RegExp, right: Call[]): Slip => ({
  name,
  call,
  next: (message) => (expected.test(message) ? right : undefined),
})

/** Arguments that are not valid JSON. They are corrected if the message names the mistake. */
export const brokenJson = (name: string, call: Call, expected: RegExp, right: Call, repairs = false): Slip => ({
  name,
  call,
  repairs,
  succeeded: done,
  next: (message) => (expected.test(message) ? [right] : undefined),
})

/** A call of a missing tool. The correction uses the tool and the arguments that the message names. */
export const unknownTool = (name: string, call: Call, expected: RegExp, right: Call[]): Slip => ({
  ...untilMessage(name, call, expected, right),
  succeeded: exitedWithZero,
})

export const neverEnds = (command: string): Slip =>
  untilMessage('a command that never ends', run(command, { timeout_seconds: 2 }), /start_process/, [
    { name: 'start_process', input: { command } },
  ])
