import type { MarkedOptions, Token } from 'marked'
import { useEffect, useState } from 'preact/hooks'
import { Tokens } from './markdown-tokens.tsx'

type Read = (text: string) => Token[]

let reader: Promise<Read> | undefined
const options: MarkedOptions = { gfm: true, breaks: true }

/** Loaded when the first text is displayed. */
function loadReader(): Promise<Read> {
  reader ??= import('marked').then(
    ({ lexer }) =>
      (text) =>
        lexer(text, options),
  )
  return reader
}

/**
 * Renders Markdown of a model, a user or an agent. It becomes elements and never HTML, so that scripts in it cannot
 * run.
 */
export function Markdown({ text }: { text: string }) {
  const [loaded, setLoaded] = useState<{ read: Read }>()
  useEffect(() => {
    let isUnmounted = false
    void loadReader().then((read) => !isUnmounted && setLoaded({ read }))
    return () => {
      isUnmounted = true
    }
  }, [])
  if (!loaded) return <div class="markdown plain">{text}</div>
  return (
    <div class="markdown">
      <Tokens of={loaded.read(text)} />
    </div>
  )
}
