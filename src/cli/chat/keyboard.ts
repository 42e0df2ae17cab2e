import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '#platform/text/printable.ts'
import { pasteWatch } from './paste.ts'
import type { Screen } from './screen.ts'

/** A typed text; or Ctrl-C; or the end, by Ctrl-D or by the end of piped input. */
export type Typed = { text: string } | 'interrupted' | 'left'

/** The input of a person, or piped input, line by line. */
export type Keyboard = {
  /**
   * What to say next: what was typed ahead comes first, and what was begun may be gone on with. A line that ends with
   * "\" goes on in the next one, and pasted lines stay together.
   */
  prompt: (prompt: string) => Promise<Typed>
  /**
   * The answer to a question: begun after the question was shown, so that nothing that was typed ahead answers it.
   * @param keys answers that need no Enter, when they are pressed by themselves
   */
  answer: (question: string, keys?: readonly string[]) => Promise<Typed>
  /** Calls `act` on Ctrl-C, until `over`. */
  interrupted: (act: () => void) => () => void
  close: () => void
}

/** Who was typing just now, or pressed more than one key, did not mean the question. */
const pauseMs = 500

type Waiting = { give: (typed: Typed) => void; keys: readonly string[]; isAnswer: boolean; since: number }

/** @param onAhead hears of each line that is typed while nothing is asked */
export function keyboard({ input, output }: Screen, onAhead: (text: string) => void = () => {}): Keyboard {
  const isPerson = input.isTTY === true && output.isTTY === true
  /** Lines that nobody has asked for yet: typed ahead, or piped. */
  const ahead: string[] = []
  /** The lines of a text before its last one. */
  let above: string[] = []
  /** Begun when a question came. */
  let draft = ''
  let waiting: Waiting | undefined
  let act: (() => void) | undefined
  let ended = false
  let pressedAt = Number.NEGATIVE_INFINITY

  const reader = createInterface({ input, output: echo(output, () => waiting !== undefined), terminal: isPerson })
  const paste = isPerson ? pasteWatch(input, output) : undefined
  const give = (typed: Typed) => {
    const { give: answer } = waiting ?? {}
    waiting = undefined
    answer?.(typed)
  }
  const clearLine = () => {
    if (!isPerson) return
    reader.write(null, { ctrl: true, name: 'e' })
    reader.write(null, { ctrl: true, name: 'u' })
  }
  const goesOn = (text: string) => isPerson && !waiting?.isAnswer && (paste?.isPasting() || text.endsWith('\\'))

  reader.on('line', (line) => {
    if (goesOn(line)) {
      above.push(paste?.isPasting() ? line : line.slice(0, -1))
      reader.setPrompt('… ')
      if (waiting && !paste?.isPasting()) reader.prompt()
      return
    }
    const text = [...above, line].join('\n')
    above = []
    if (waiting) return give({ text })
    ahead.push(text)
    if (isPerson) onAhead(text)
  })
  reader.on('SIGINT', () => {
    clearLine()
    if (!waiting?.isAnswer) [above, ahead.length] = [[], 0]
    if (!waiting) return act?.()
    output.write('\n')
    give('interrupted')
  })
  reader.on('close', () => {
    ended = true
    give('left')
  })
  if (isPerson) {
    // After the reader's own: it has the key in its line already.
    input.on('keypress', (key: string | undefined) => {
      const [now, before] = [performance.now(), pressedAt]
      pressedAt = now
      if (!waiting || key === undefined || !waiting.keys.includes(key) || reader.line !== key) return
      if (now - Math.max(before, waiting.since) < pauseMs) return
      clearLine()
      output.write(`${key}\n`)
      give({ text: key })
    })
  }

  /** Only the last line of a prompt is the reader's, which writes it anew as the person types. */
  function show(prompt: string): void {
    const at = prompt.lastIndexOf('\n') + 1
    output.write(prompt.slice(0, at))
    reader.setPrompt(prompt.slice(at))
    reader.prompt(true)
  }
  function wait(prompt: string, isAnswer: boolean, keys: readonly string[]): Promise<Typed> {
    const next = isAnswer && isPerson ? undefined : ahead.shift()
    if (next !== undefined || ended) {
      // Piped input may contain anything.
      output.write(`${prompt}${printable(next ?? '')}\n`)
      return Promise.resolve(next === undefined ? 'left' : { text: next })
    }
    return new Promise((resolve) => {
      waiting = { give: resolve, keys, isAnswer, since: performance.now() }
      // A new line is begun here. Counted from the last prompt, or from what was typed ahead, the reader would go up and
      // wipe out what was said since.
      Object.assign(reader, { prevRows: 0 })
      if (isAnswer) {
        draft ||= reader.line ?? ''
        clearLine()
      }
      show(prompt)
      if (isAnswer || !draft) return
      reader.write(draft)
      draft = ''
    })
  }

  return {
    prompt: (prompt) => wait(prompt, false, []),
    answer: (question, keys = []) => wait(question, true, isPerson ? keys : []),
    interrupted(wanted) {
      act = wanted
      return () => {
        act = undefined
      }
    },
    close() {
      paste?.end()
      reader.close()
    },
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
