import { useState } from 'preact/hooks'

/** What is said to an intern. Enter says it, Shift-Enter begins a line. */
export function Composer({ label, send }: { label: string; send: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() === '') return
        send(text)
        setText('')
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
