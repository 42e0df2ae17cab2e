import { failed, lineIn, pathIn } from './reading.ts'
import { type Call, edit, patching, read, run, type Slip } from './task.ts'

/** The mistakes of the sloppy engineer. What he does next follows from the tool's message alone. */

const done = (message: string) => !failed(message)
const succeeded = (message: string) => message.includes('[exit code 0]')

/** The simulated engineer continues only with a file that the message names. */
export const wrongPath = (name: string, path: string): Slip => ({
  name,
  call: read(path),
  meant: done,
  next: (message) => {
    const named = pathIn(message, path)
    return named === undefined ? undefined : [read(named)]
  },
})

/** A patch in which some lines of the file are other than they are. He takes each from the message that shows it. */
export function staleLines(name: string, lines: string[], wrong: string[]): Slip {
  let now = lines
  return {
    name,
    call: patching(...lines),
    repairs: true,
    meant: done,
    next: (message) => {
      const right = new Map(wrong.map((line) => [line, lineIn(message, line)]))
      if (![...right.values()].some((line) => line !== undefined)) return undefined
      now = now.map((line) => (right.get(line.slice(1)) === undefined ? line : line[0] + right.get(line.slice(1))!))
      return [patching(...now)]
    },
  }
}

/** A patch in another form than ours, or with another fault that is none of its content. */
export const oddPatch = (name: string, patch: string, expected: RegExp, right: Call): Slip => ({
  name,
  call: { name: 'apply_patch', input: { patch } },
  repairs: true,
  meant: done,
  next: (message) => (expected.test(message) ? [right] : undefined),
})

/** He edits a text that does not stand there so. */
export const wrongText = (name: string, path: string, old: string, replaced: (line: string) => string): Slip => ({
  name,
  call: edit(path, old, replaced(old)),
  repairs: true,
  meant: done,
  next: (message) => {
    const line = lineIn(message, old)
    return line === undefined ? undefined : [edit(path, line, replaced(line))]
  },
})

/** A wrong call. It is corrected only if the message contains the right word. */
export const untilTold = (name: string, call: Call, expected: RegExp, right: Call[]): Slip => ({
  name,
  call,
  next: (message) => (expected.test(message) ? right : undefined),
})

/** Arguments that are no JSON. He writes them as they should be when he is told where they are wrong. */
export const brokenJson = (name: string, call: Call, expected: RegExp, right: Call, repairs = false): Slip => ({
  name,
  call,
  repairs,
  meant: done,
  next: (message) => (expected.test(message) ? [right] : undefined),
})

/** A call of a missing tool. The correction uses the tool and the arguments that the message names. */
export const unknownTool = (name: string, call: Call, expected: RegExp, right: Call[]): Slip => ({
  ...untilTold(name, call, expected, right),
  meant: succeeded,
})

export const neverEnds = (command: string): Slip =>
  untilTold('a command that never ends', run(command, { timeout_seconds: 2 }), /start_process/, [
    { name: 'start_process', input: { command } },
  ])
