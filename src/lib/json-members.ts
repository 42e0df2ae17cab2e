/** One member of an object in JSON text, by where it stands: from the quote of its name up to the end of its value. */
export type Member = { name: string; start: number; valueStart: number; end: number }

const quote = 34
const backslash = 92
const comma = 44
const [openBrace, closeBrace] = [123, 125]
const [openBracket, closeBracket] = [91, 93]

/**
 * The members of the object that begins at `from`, without reading what is in them. The text is JSON that was parsed
 * before; bytes may stand for characters, as names and structure are ASCII.
 */
export function membersOf(text: string, from: number): Member[] {
  const members: Member[] = []
  let at = afterSpace(text, from + 1)
  while (text.charCodeAt(at) === quote) {
    const nameEnd = stringEnd(text, at)
    const valueStart = afterSpace(text, afterSpace(text, nameEnd) + 1)
    const end = valueEnd(text, valueStart)
    members.push({ name: text.slice(at + 1, nameEnd - 1), start: at, valueStart, end })
    const next = afterSpace(text, end)
    if (text[next] !== ',') break
    at = afterSpace(text, next + 1)
  }
  return members
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 32) at++
  return at
}

/** Just behind the closing quote of the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  let at = text.indexOf('"', from + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}

function valueEnd(text: string, from: number): number {
  let at = from
  let depth = 0
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === quote) {
      at = stringEnd(text, at)
      if (depth === 0) return at
      continue
    }
    if (char === openBrace || char === openBracket) depth++
    else if (char === closeBrace || char === closeBracket) {
      if (depth === 0) return trimmedEnd(text, from, at)
      depth--
      if (depth === 0) return at + 1
    } else if (char === comma && depth === 0) return trimmedEnd(text, from, at)
    at++
  }
  return at
}

function trimmedEnd(text: string, from: number, to: number): number {
  let end = to
  while (end > from && text.charCodeAt(end - 1) <= 32) end--
  return end
}

/**
 * Changes of an object's members, as JSON: `set` replaces or adds, `fill` adds if missing, `notNull` is removed if it
 * is null.
 */
export type Changes = {
  set: Readonly<Record<string, string>>
  fill: Readonly<Record<string, string>>
  notNull?: string
}

/** Changes members of the object that begins at `from`. All other bytes stay as they are. New members come first. */
export function withChanges(text: string, from: number, { set, fill, notNull }: Changes): string {
  const members = membersOf(text, from)
  const left = new Map(Object.entries(fill).concat(Object.entries(set)))
  let rest = ''
  let kept = members.length
  let copied = from + 1
  for (const [at, { name, start, valueStart, end }] of members.entries()) {
    left.delete(name)
    if (Object.hasOwn(set, name)) {
      rest += text.slice(copied, valueStart) + set[name]
      copied = end
    } else if (name === notNull && text.slice(valueStart, end) === 'null') {
      kept--
      rest += text.slice(copied, at === 0 ? start : members[at - 1]!.end)
      copied = at === 0 ? (members[1]?.start ?? end) : end
    }
  }
  const added = Array.from(left, ([name, value]) => `"${name}":${value}`).join(',')
  const joint = added && kept > 0 ? ',' : ''
  return text.slice(0, from + 1) + added + joint + rest + text.slice(copied)
}
