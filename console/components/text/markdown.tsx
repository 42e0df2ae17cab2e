import type { MarkedOptions, Token } from 'marked'
import { useEffect, useState } from 'preact/hooks'
import { Tokens } from './markdown-tokens.tsx'

type Lexer = (text: string) => Token[]

let lexerPromise: Promise<Lexer> | undefined
const options: MarkedOptions = { gfm: true, breaks: true }

/** Loaded when the first text is displayed. */
function loadLexer(): Promise<Lexer> {
  lexerPromise ??= import('marked').then(
    ({ lexer }) =>
      (text) =>
        lexer(text, options),
  )
  return lexerPromise
}

/**
 * Renders Markdown of a model, a user or an agent. It becomes elements and never HTML, so that scripts in it cannot
 * run.
 */
export function Markdown({ text }: { text: string }) {
  const [loaded, setLoaded] = useState<{ lexer: Lexer }>()
  useEffect(() => {
    let isUnmounted = false
    void loadLexer().then((lexer) => !isUnmounted && setLoaded({ lexer }))
    return () => {
      isUnmounted = true
    }
  }, [])
  if (!loaded) return <div class="markdown plain">{text}</div>
  return (
    <div class="markdown">
      <Tokens tokens={loaded.lexer(text)} />
    </div>
  )
}
