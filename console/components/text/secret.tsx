import { useEffect, useRef } from 'preact/hooks'
import { CopyableText } from '../page/copy-button.tsx'

/** Displays a secret once. Only the Done button closes it, so that a stray click cannot lose it. */
export function Secret({ title, text, onDone }: { title: string; text: string; onDone: () => void }) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => element.current?.focus(), [text])
  return (
    <section class="secret" ref={element} tabIndex={-1} aria-label={title}>
      <h2>{title}</h2>
      <p>Copy the secret now. It is not shown again.</p>
      <CopyableText text={text}>
        <button type="button" onClick={onDone}>
          Done
        </button>
      </CopyableText>
    </section>
  )
}
