import { deniedNames, deniedPhrases, frozenNames } from './denylist.ts'

/** A denied phrase or name in a file. */
type Hit = { line: number; text: string; instead: string }

const strings = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
const comments = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const frozen = new RegExp(`(?:\\b|(?<=\\d_))(${frozenNames.join('|')})\\b`, 'g')
const declared =
  /\b(?:const|let|var|function|class|type|interface)\s+([A-Za-z]+)|(?:[({,]\s*|\breadonly\s+)([A-Za-z]+)\??\s*(?=[:,)}=])/g

/** Returns every denied phrase of a text and, in code, every declared name that is denied. */
export function findDenied(path: string, source: string): Hit[] {
  const hits: Hit[] = []
  const blank = (part: string) => part.replace(/[^\n]/g, ' ')
  const text = source.replace(frozen, blank)
  const lineOf = lineCounter(text)
  const words = splitCamelCase(text)
  const wordLine = lineCounter(words)
  for (const { pattern, instead } of deniedPhrases) {
    for (const { index, 0: found } of words.matchAll(pattern))
      hits.push({ line: wordLine(index), text: found.trim(), instead })
  }
  if (/\.(ts|tsx)$/.test(path)) {
    const code = text.replace(comments, blank).replace(strings, blank)
    for (const match of code.matchAll(declared)) {
      const name = match[1] ?? match[2] ?? ''
      // `told` and `seldom` are phrases already.
      const isPhrase = name === 'told' || name === 'seldom'
      if (isPhrase || !Object.hasOwn(deniedNames, name) || (name === 'left' && isSide(text))) continue
      const line = lineOf(match.index + match[0].lastIndexOf(name))
      hits.push({ line, text: name, instead: deniedNames[name]! })
    }
  }
  return hits.sort((a, b) => a.line - b.line)
}

/** Whether `left` in this text is the opposite of `right`, as in a drawing or an expression. */
const isSide = (text: string) => /\bright\b/.test(text)

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
