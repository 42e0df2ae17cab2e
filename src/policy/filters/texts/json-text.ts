import { UniqueNames } from './unique-names.ts'

/** Strings, numbers and brackets. Everything else is skipped: literals, commas, colons and white space. */
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/g
/** Matches quoted strings, the last of which can be unterminated, and the text between them. */
const quotedOrPlain = /"(?:[^"\\]|\\[\s\S])*"?|[^"]+/g
const escapePattern = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** The maximum nesting of JSON documents that are encoded as strings. */
const maxDepth = 4

type RewriteValue = (value: string, name: string) => string

/** Whether an entire text is JSON: an object, an array, a string or a number. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{"\d-]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a text may be truncated or malformed JSON, whose escapes a model would still decode. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) || text.includes('\\u')
}

/**
 * Rewrites the strings, numbers and names in a JSON text, and keeps every other byte. Different names stay different, and JSON
 * in strings stays valid.
 * @param rewrite receives a value and the name of its field, and returns the new string. For an item of an array, the name is
 * that of the array's field. For a name, it is an empty string.
 */
export function rewriteJsonText(json: string, rewrite: RewriteValue, depth = 1): string {
  let name = ''
  /** The objects and arrays around the current position, with the name of the field that each belongs to. */
  const parents: { names: UniqueNames; name: string }[] = []
  return json.replace(token, (raw: string, offset: number) => {
    if (raw === '{' || raw === '[') parents.push({ names: new UniqueNames(), name })
    if (raw === '}' || raw === ']') name = parents.pop()!.name
    if ('{}[]'.includes(raw)) return raw
    if (!raw.startsWith('"')) {
      const rewritten = rewrite(raw, name)
      return rewritten === raw ? raw : JSON.stringify(rewritten)
    }
    const value = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
    const isName = followedByColon(json, offset + raw.length)
    const rewritten = isName
      ? parents.at(-1)!.names.add(value === '' ? '' : rewrite(value, ''), value)
      : rewriteNested(value, name, rewrite, depth)
    if (isName) name = value
    return rewritten === value ? raw : JSON.stringify(rewritten)
  })
}

function rewriteNested(value: string, name: string, rewrite: RewriteValue, depth: number): string {
  if (value === '') return ''
  const isNested = depth < maxDepth && /^\s*[[{]/.test(value) && isJsonText(value)
  return isNested ? rewriteJsonText(value, rewrite, depth + 1) : rewrite(value, name)
}

/**
 * Rewrites invalid JSON. Quoted strings are unescaped before they are rewritten, the text between them is rewritten
 * directly. Unchanged parts keep every byte.
 */
export function rewriteInvalidJson(text: string, rewrite: RewriteValue): string {
  let name = ''
  const parentNames: string[] = []
  return text.replace(quotedOrPlain, (piece: string, offset: number) => {
    const isQuoted = piece.startsWith('"')
    const end = isQuoted && piece.length > 1 && piece.endsWith('"') ? '"' : ''
    const inner = isQuoted ? piece.slice(1, piece.length - end.length) : piece
    const value = withoutEscapes(inner)
    const isName = isQuoted && followedByColon(text, offset + piece.length)
    const rewritten = value.trim() === '' ? value : rewrite(value, isName ? '' : name)
    if (isName) name = value
    const brackets = isQuoted ? [] : piece.matchAll(/[{}[\]]/g)
    for (const [bracket] of brackets) {
      if (bracket === '{' || bracket === '[') parentNames.push(name)
      else name = parentNames.pop() ?? ''
    }
    if (rewritten === value) return piece
    return isQuoted ? `"${JSON.stringify(rewritten).slice(1, -1)}${end}` : rewritten
  })
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(escapePattern, (_all, code?: string, character = '') =>
    code === undefined ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function followedByColon(json: string, from: number): boolean {
  let at = from
  while (at < json.length && ' \t\n\r'.includes(json[at]!)) at++
  return json[at] === ':'
}
