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
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof loadLexer>>>()
  useEffect(() => {
    let isUnmounted = false
    void loadLexer().then((module) => !isUnmounted && setLoaded(module))
    return () => {
      isUnmounted = true
    }
  }, [])
  if (!loaded) return <div class="markdown plain">{text}</div>
  return (
    <div class="markdown">
      <Tokens tokens={loaded.lexMarkdown(text)} />
    </div>
  )
}
