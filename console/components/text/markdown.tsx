import { useEffect, useState } from 'preact/hooks'
import { Tokens } from './markdown-tokens.tsx'

let lexerModule: Promise<typeof import('./markdown-lexer.ts')> | undefined

/** Loaded when the first text is displayed. */
const loadLexer = () => (lexerModule ??= import('./markdown-lexer.ts'))

/**
 * Renders Markdown of a model, a user or an agent. It becomes elements and never HTML, so that scripts in it cannot
 * run.
 */
export function Markdown({ text }: { text: string }) {
  const [lexer, setLexer] = useState<Awaited<ReturnType<typeof loadLexer>>>()
  useEffect(() => {
    let isUnmounted = false
    void loadLexer().then((module) => !isUnmounted && setLexer(module))
    return () => {
      isUnmounted = true
    }
  }, [])
  if (!lexer) return <div class="markdown plain">{text}</div>
  return (
    <div class="markdown">
      <Tokens tokens={lexer.lexMarkdown(text)} />
    </div>
  )
}
