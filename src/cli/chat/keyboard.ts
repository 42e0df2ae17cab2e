import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '#platform/text/printable.ts'
import type { Screen } from '../kit/terminal.ts'
import { watchPaste } from './paste.ts'

/** A typed text; `interrupted` for Ctrl-C; `left` for Ctrl-D or the end of piped input. */
export type KeyboardInput = { text: string } | 'interrupted' | 'left'

/** Reads lines from a terminal, or from piped input. */
export type Keyboard = {
  /**
   * Reads the next prompt. Lines typed ahead come first, and an unfinished line is restored. A line that ends with "\"
   * continues on the next line, and pasted lines stay together.
   */
  prompt: (prompt: string) => Promise<KeyboardInput>
  /**
   * Reads the answer to a question. Text typed before the question was displayed is not taken as the answer. Pasted lines
   * stay together.
   * @param keys single keys that answer without Enter
   * @param signal aborts the question. The promise then rejects with its reason
   */
  answer: (question: string, keys: readonly string[], signal: AbortSignal) => Promise<KeyboardInput>
  /** Calls `listener` on Ctrl-C while nothing is read; a read resolves instead. @returns a function that removes it */
  onInterrupt: (listener: () => void) => () => void
  close: () => void
}

/** A single key counts as an answer only after this pause, because a user who was typing did not mean the question. */
const pauseMs = 500

type PendingRead = {
  resolve: (userInput: KeyboardInput) => void
  keys: readonly string[]
  isAnswer: boolean
  shownAt: number
}

/** @param onTypedAhead receives each line that is typed while no prompt is displayed */
export function createKeyboard({ input, output }: Screen, onTypedAhead: (text: string) => void = () => {}): Keyboard {
  const isTerminal = input.isTTY === true && output.isTTY === true
  /** Lines that are not read yet: typed ahead, or piped. */
  const typedAhead: string[] = []
  /** The previous lines of a text of several lines. */
  let previousLines: string[] = []
  /** The unfinished text at the time a question was displayed: its last line, and the previous ones. */
  let draft = ''
  const draftLines: string[] = []
  let pending: PendingRead | undefined
  let onInterrupt: (() => void) | undefined
  let isClosed = false
  let lastKeyAt = Number.NEGATIVE_INFINITY

  const reader = createInterface({
    input,
    output: createEcho(output, () => pending !== undefined),
    terminal: isTerminal,
  })
  const paste = isTerminal ? watchPaste(input, output) : undefined
  const resolvePending = (userInput: KeyboardInput) => {
    const { resolve } = pending ?? {}
    pending = undefined
    resolve?.(userInput)
  }
  const clearLine = () => {
    if (!isTerminal) return
    // The keys for the end of the line and for deleting all before it.
    reader.write(null, { ctrl: true, name: 'e' })
    reader.write(null, { ctrl: true, name: 'u' })
  }
  const isContinued = (text: string) =>
    isTerminal && (paste?.isPasting() || (!pending?.isAnswer && text.endsWith('\\')))

  reader.on('line', (line) => {
    if (isContinued(line)) {
      previousLines.push(paste?.isPasting() ? line : line.slice(0, -1))
      reader.setPrompt('… ')
      if (pending && !paste?.isPasting()) reader.prompt()
      return
    }
    const text = [...previousLines, line].join('\n')
    previousLines = []
    if (pending) return resolvePending({ text })
    typedAhead.push(text)
    if (isTerminal) onTypedAhead(text)
  })
  reader.on('SIGINT', () => {
    clearLine()
    previousLines = []
    if (!pending?.isAnswer) typedAhead.length = 0
    if (!pending) return onInterrupt?.()
    output.write('\n')
    resolvePending('interrupted')
  })
  reader.on('close', () => {
    isClosed = true
    resolvePending('left')
  })
  if (isTerminal) {
    // Runs after the listener of readline, which has already added the key to its line.
    input.on('keypress', (key: string | undefined) => {
      const now = performance.now()
      const previousKeyAt = lastKeyAt
      lastKeyAt = now
      if (!pending || key === undefined || !pending.keys.includes(key) || reader.line !== key) return
      if (now - Math.max(previousKeyAt, pending.shownAt) < pauseMs) return
      clearLine()
      output.write(`${key}\n`)
      resolvePending({ text: key })
    })
  }

  /** Readline gets only the last line of a prompt, because it writes it again for each key. */
  function showPrompt(prompt: string): void {
    const at = prompt.lastIndexOf('\n') + 1
    output.write(prompt.slice(0, at))
    reader.setPrompt(prompt.slice(at))
    reader.prompt(true)
  }
  function waitForInput(
    prompt: string,
    { isAnswer, keys }: Pick<PendingRead, 'isAnswer' | 'keys'>,
  ): Promise<KeyboardInput> {
    const earlierText = isAnswer && isTerminal ? undefined : typedAhead.shift()
    if (earlierText !== undefined || isClosed) {
      // Piped input may contain anything.
      output.write(`${prompt}${printable(earlierText ?? '')}\n`)
      return Promise.resolve(earlierText === undefined ? 'left' : { text: earlierText })
    }
    return new Promise((resolve) => {
      pending = { resolve, keys, isAnswer, shownAt: performance.now() }
      // The prompt starts on a new line. Without the reset, readline would move up by the rows of its last prompt and
      // overwrite the output since then.
      Object.assign(reader, { prevRows: 0 })
      if (isAnswer) {
        draft ||= reader.line ?? ''
        draftLines.push(...previousLines.splice(0))
        clearLine()
      }
      showPrompt(prompt)
      if (isAnswer) return
      previousLines.unshift(...draftLines.splice(0))
      if (!draft) return
      reader.write(draft)
      draft = ''
    })
  }

  return {
    prompt: (prompt) => waitForInput(prompt, { isAnswer: false, keys: [] }),
    async answer(question, keys, signal) {
      signal.throwIfAborted()
      const withdraw = () => {
        clearLine()
        output.write('\n')
        resolvePending('left')
      }
      signal.addEventListener('abort', withdraw)
      try {
        const userInput = await waitForInput(question, { isAnswer: true, keys: isTerminal ? keys : [] })
        signal.throwIfAborted()
        return userInput
      } finally {
        signal.removeEventListener('abort', withdraw)
      }
    },
    onInterrupt(listener) {
      onInterrupt = listener
      return () => {
        onInterrupt = undefined
      }
    },
    close() {
      paste?.end()
      reader.close()
    },
  }
}

/** Echoes typed text only while a prompt is displayed, because it would appear in the middle of the intern's output. */
function createEcho(output: NodeJS.WriteStream, isPrompting: () => boolean): Writable {
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (isPrompting()) output.write(chunk)
      done()
    },
  })
  return Object.defineProperty(echo, 'columns', { get: () => output.columns })
}
