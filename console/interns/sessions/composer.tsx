import { useState } from 'preact/hooks'
import { isEnter } from '../../components/window/keyboard.ts'

type ComposerProps = {
  label: string
  /** @returns whether the message was accepted. */
  onSend: (text: string) => Promise<boolean>
}

/** The message input of a session. Enter sends, Shift-Enter starts a line. A rejected message is put back. */
export function Composer({ label, onSend }: ComposerProps) {
  const [text, setText] = useState('')
  const submit = async () => {
    setText('')
    if (!(await onSend(text))) setText((current) => current || text)
  }
  return (
    <form
      class="message-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void submit()
      }}
    >
      <textarea
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isEnter(event) || event.shiftKey) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
      <button type="submit">Send</button>
    </form>
  )
}
