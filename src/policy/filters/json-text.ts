import { UniqueNames } from './unique-names.ts'

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/g
/** Matches quoted strings, the last of which can be unterminated, and the text between them. */
const pieces = /"(?:[^"\\]|\\[\s\S])*"?|[^"]+/g
const anEscape = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** The maximum depth of JSON in strings of JSON. */
const mostDepth = 4

type RewriteValue = (value: string, name: string) => string

/** Whether a whole text is JSON: an object, an array, a string or a number. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{"\d-]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a text looks like invalid JSON. A model still understands its escapes. */
export function isAlmostJson(text: string): boolean {
  return /^\s*[[{]/.test(text) || text.includes('\\u')
}

/**
 * Rewrites the strings and numbers in a JSON text, and keeps every other byte. `rewrite` receives a value and the name of
 * its field (empty for a name itself, and in arrays), and returns the new string. Different names stay different, and
 * JSON in strings stays valid.
 */
export function rewriteJsonText(json: string, rewrite: RewriteValue, depth = 1): string {
  let name = ''
  const objects: UniqueNames[] = []
  return json.replace(token, (written: string, offset: number) => {
    if (written === '{' || written === '[') objects.push(new UniqueNames())
    if (written === '}' || written === ']') objects.pop()
    if ('{}[]'.includes(written)) return written
    if (!written.startsWith('"')) {
      const rewritten = rewrite(written, name)
      return rewritten === written ? written : JSON.stringify(rewritten)
    }
    const value = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
    const isName = followedByColon(json, offset + written.length)
    const rewritten = isName
      ? objects.at(-1)!.add(value === '' ? '' : rewrite(value, ''), value)
      : rewriteWithin(value, name, rewrite, depth)
    if (isName) name = value
    return rewritten === value ? written : JSON.stringify(rewritten)
  })
}

function rewriteWithin(value: string, name: string, rewrite: RewriteValue, depth: number): string {
  if (value === '') return ''
  const isNested = depth < mostDepth && /^\s*[[{]/.test(value) && isJsonText(value)
  return isNested ? rewriteJsonText(value, rewrite, depth + 1) : rewrite(value, name)
}

/**
 * The same for invalid JSON: quoted strings are unescaped before they are rewritten, the text between them is rewritten
 * directly. Unchanged parts keep every byte.
 */
export function rewriteAlmostJson(text: string, rewrite: RewriteValue): string {
  let name = ''
  return text.replace(pieces, (piece: string, offset: number) => {
    const isQuoted = piece.startsWith('"')
    const end = isQuoted && piece.length > 1 && piece.endsWith('"') ? '"' : ''
    const inner = isQuoted ? piece.slice(1, piece.length - end.length) : piece
    const value = withoutEscapes(inner)
    const isName = isQuoted && followedByColon(text, offset + piece.length)
    const rewritten = value.trim() === '' ? value : rewrite(value, isName ? '' : name)
    if (isName) name = value
    if (rewritten === value) return piece
    return isQuoted ? `"${JSON.stringify(rewritten).slice(1, -1)}${end}` : rewritten
  })
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(anEscape, (_all, code?: string, character = '') =>
    code === undefined ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function followedByColon(json: string, from: number): boolean {
  let at = from
  while (at < json.length && ' \t\n\r'.includes(json[at]!)) at++
  return json[at] === ':'
}
