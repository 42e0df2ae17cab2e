import { deniedNames, deniedPhrases } from './denylist.ts'

/** A denied phrase or name in a file. */
export type Hit = { line: number; text: string; instead: string }

const strings = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
const comments = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const declared =
  /\b(?:const|let|var|function|class|type|interface)\s+([A-Za-z]+)|(?:[({,]\s*|\breadonly\s+)([A-Za-z]+)\??\s*(?=[:,)}=])/g

/** Returns every denied phrase of a text and, in code, every declared name that is denied. */
export function findDenied(path: string, text: string): Hit[] {
  const hits: Hit[] = []
  const lineOf = lineCounter(text)
  const words = splitCamelCase(text)
  const wordLine = lineCounter(words)
  for (const { pattern, instead } of deniedPhrases) {
    for (const { index, 0: found } of words.matchAll(pattern))
      hits.push({ line: wordLine(index), text: found.trim(), instead })
  }
  if (/\.(ts|tsx)$/.test(path)) {
    const blank = (part: string) => part.replace(/[^\n]/g, ' ')
    const code = text.replace(comments, blank).replace(strings, blank)
    for (const match of code.matchAll(declared)) {
      const name = match[1] ?? match[2] ?? ''
      // `told` and its forms are phrases already.
      if (name !== 'told' && name !== 'seldom' && Object.hasOwn(deniedNames, name)) {
        hits.push({ line: lineOf(match.index), text: name, instead: deniedNames[name]! })
      }
    }
  }
  return hits.sort((a, b) => a.line - b.line)
}

/** `toldRunEnd` becomes `told Run End`, without a change of the lines. */
function splitCamelCase(text: string): string {
  return text.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ')
}

function lineCounter(text: string): (index: number) => number {
  let [at, line] = [0, 1]
  return (index) => {
    if (index < at) [at, line] = [0, 1]
    for (; at < index; at++) if (text.charCodeAt(at) === 10) line++
    return line
  }
}
