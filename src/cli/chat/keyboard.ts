import { createInterface, emitKeypressEvents } from 'node:readline'

type Screen = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }

/** What a person does at the keyboard. `undefined` is Ctrl-D: they want to leave. */
export type Keyboard = {
  line: (prompt: string) => Promise<string | undefined>
  /** One key of those offered, without Enter. */
  key: (offered: string[]) => Promise<string | undefined>
  /** Calls `act` on Ctrl-C, until `over`. */
  interrupted: (act: () => void) => () => void
}

const interrupt = '\u0003'
const leave = '\u0004'

export function keyboard({ input, output }: Screen): Keyboard {
  const raw = (on: boolean) => void (input.isTTY && input.setRawMode(on))
  const hear = (hearKey: (key: string) => void) => {
    emitKeypressEvents(input)
    const listener = (text: string | undefined, key: { sequence?: string }) => hearKey(key.sequence ?? text ?? '')
    input.on('keypress', listener)
    raw(true)
    input.resume()
    return () => {
      input.off('keypress', listener)
      raw(false)
      input.pause()
    }
  }
  return {
    line: (prompt) =>
      new Promise((resolve) => {
        const reader = createInterface({ input, output, terminal: input.isTTY })
        reader.question(prompt, (text) => {
          // Before it closes, which says that they want to leave.
          resolve(text)
          reader.close()
        })
        reader.once('close', () => resolve(undefined))
        reader.once('SIGINT', () => {
          output.write('\n')
          resolve('')
          reader.close()
        })
      }),
    key: (offered) =>
      new Promise((resolve) => {
        const end = hear((key) => {
          const chosen = key === leave ? undefined : offered.includes(key) ? key : key === interrupt ? interrupt : ''
          if (chosen === '') return
          end()
          resolve(chosen)
        })
      }),
    interrupted: (act) => hear((key) => key === interrupt && act()),
  }
}
