/** What went wrong, said where it was wanted and read aloud when it comes; nothing where nothing did. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p class="bad" role="alert">
      {text}
    </p>
  )
}
