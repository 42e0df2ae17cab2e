import { useState } from 'preact/hooks'

type ComposerProps = {
  label: string
  /** @returns whether it was taken. */
  send: (text: string) => Promise<boolean>
}

/** What is said to an intern. Enter says it, Shift-Enter begins a line. What is not taken stands there again. */
export function Composer({ label, send }: ComposerProps) {
  const [text, setText] = useState('')
  const say = async () => {
    setText('')
    if (!(await send(text))) setText((since) => since || text)
  }
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void say()
      }}
    >
      <textarea
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
      <button type="submit">Send</button>
    </form>
  )
}
