import { useEffect, useRef, useState } from 'preact/hooks'
import { CopyableText } from '../page/copy-button.tsx'

/** Returns the new secrets of a page, and a function that adds one. Each is displayed until it is done, also when there is another one. */
export function useSecrets() {
  const [texts, setTexts] = useState<[title: string, text: string][]>([])
  return [
    texts.map((one) => (
      <Secret key={one} title={one[0]} text={one[1]} onDone={() => setTexts((all) => all.filter((it) => it !== one))} />
    )),
    (...one: [title: string, text: string]) => setTexts((all) => [...all, one]),
  ] as const
}

/** Only the Done button closes it, so that a stray click cannot lose it. */
function Secret({ title, text, onDone }: { title: string; text: string; onDone: () => void }) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => element.current?.focus(), [text])
  return (
    <section class="secret" ref={element} tabIndex={-1} aria-label={title}>
      <h2>{title}</h2>
      <p>Copy it now. It is not shown again.</p>
      <CopyableText text={text}>
        <button type="button" onClick={onDone}>
          Done
        </button>
      </CopyableText>
    </section>
  )
}
