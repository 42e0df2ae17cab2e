import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '#lib/printable.ts'

export type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }

/** A typed line; or Ctrl-C; or the end, by Ctrl-D or by the end of piped input. */
export type Typed = { text: string } | 'interrupted' | 'left'

/** The input of a person, or piped input, line by line. */
export type Keyboard = {
  /** The next line. Where a person types, it is one begun after the prompt was shown. */
  line: (prompt: string) => Promise<Typed>
  /** Calls `act` on Ctrl-C, until `over`. */
  interrupted: (act: () => void) => () => void
  close: () => void
}

export function keyboard({ input, output }: Screen): Keyboard {
  const isPerson = input.isTTY === true && output.isTTY === true
  const piped: string[] = []
  let waiting: ((typed: Typed) => void) | undefined
  let act: (() => void) | undefined
  let ended = false

  const reader = createInterface({ input, output: echo(output, () => waiting !== undefined), terminal: isPerson })
  const give = (typed: Typed) => {
    const answer = waiting
    waiting = undefined
    answer?.(typed)
  }
  reader.on('line', (text) => {
    if (waiting) give({ text })
    else if (!isPerson) piped.push(text)
  })
  reader.on('SIGINT', () => {
    if (waiting) output.write('\n')
    if (waiting) give('interrupted')
    else act?.()
  })
  reader.on('close', () => {
    ended = true
    give('left')
  })

  return {
    line(prompt) {
      const next = piped.shift()
      if (next !== undefined || ended) {
        // Piped input may contain anything.
        output.write(`${prompt}${printable(next ?? '')}\n`)
        return Promise.resolve(next === undefined ? 'left' : { text: next })
      }
      return new Promise((resolve) => {
        forgetBegun(reader, isPerson)
        waiting = resolve
        // Only the last line of it is the reader's, which writes that anew as the person types.
        const [last = '', ...above] = prompt.split('\n').reverse()
        output.write(
          above
            .reverse()
            .map((line) => `${line}\n`)
            .join(''),
        )
        reader.setPrompt(last)
        reader.prompt()
      })
    },
    interrupted(wanted) {
      act = wanted
      return () => {
        act = undefined
      }
    },
    close: () => reader.close(),
  }
}

/** Text that is typed while there is no prompt is not shown: it would appear in the middle of the intern's output. */
function echo(output: NodeJS.WriteStream, isAsked: () => boolean): Writable {
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (isAsked()) output.write(chunk)
      done()
    },
  })
  return Object.defineProperty(shown, 'columns', { get: () => output.columns })
}

/** Half a line from before must not become the beginning of an answer. */
function forgetBegun(reader: Interface, isPerson: boolean): void {
  if (isPerson) reader.write(null, { ctrl: true, name: 'e' })
  if (isPerson) reader.write(null, { ctrl: true, name: 'u' })
}
