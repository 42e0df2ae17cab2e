import { UniqueNames } from './unique-names.ts'

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/g
/** Texts in quotes, the last of which may have no end, and what stands between them. */
const pieces = /"(?:[^"\\]|\\[\s\S])*"?|[^"]+/g
const anEscape = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** JSON within JSON is looked through as deep as this. */
const mostDepth = 4

type RewriteValue = (value: string, name: string) => string

/** Whether a text is JSON as a whole: an object, an array, a text in quotes or a number. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{"\d-]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a text was meant to be JSON. A model that reads it understands its escapes. */
export function isAlmostJson(text: string): boolean {
  return /^\s*[[{]/.test(text) || text.includes('\\u')
}

/**
 * Rewrites the texts and numbers in a JSON text and leaves every other byte as it is. `rewrite` gets a value and the
 * name of its field (empty for a name itself, and in arrays), and returns what takes its place: a text. Names stay
 * different from each other, and JSON within a text stays JSON.
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
 * The same for a text that was meant to be JSON but is invalid: strings in quotes are rewritten without their escapes,
 * the text between them as it is. Unchanged parts keep every byte.
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
