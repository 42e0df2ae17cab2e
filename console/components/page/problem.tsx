/** The message of a failed action, which screen readers read aloud. Renders nothing without a message. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p class="bad" role="alert">
      {text}
    </p>
  )
}
