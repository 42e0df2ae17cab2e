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
export function stringEnd(text: string, from: number): number {
  let at = text.indexOf('"', from + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at === -1 ? text.length : at + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}

/** Just behind the value that begins at `from`. */
export function valueEnd(text: string, from: number): number {
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
  const filled = Object.keys(fill)
  const names = filled.concat(Object.keys(set))
  /** A bit for each of the names that the object has. */
  let found = 0
  let rest = ''
  let copied = from + 1
  let at = afterSpace(text, copied)
  const isEmpty = text.charCodeAt(at) !== quote
  while (text.charCodeAt(at) === quote) {
    const nameEnd = stringEnd(text, at)
    const valueStart = afterSpace(text, afterSpace(text, nameEnd) + 1)
    const end = valueEnd(text, valueStart)
    const place = placeOf(names, text, at, nameEnd)
    if (place !== -1) found |= 1 << place
    if (place >= filled.length) {
      rest += text.slice(copied, valueStart) + set[names[place]!]
      copied = end
    } else if (notNull !== undefined && isNull(text, valueStart, end) && isNamed(notNull, text, at, nameEnd))
      return withChanges(withoutMember(text, from, at), from, { set, fill, notNull })
    const next = afterSpace(text, end)
    if (text.charCodeAt(next) !== comma) break
    at = afterSpace(text, next + 1)
  }
  let added = ''
  for (let place = 0; place < names.length; place++) {
    if ((found & (1 << place)) !== 0) continue
    const name = names[place]!
    added += `${added && ','}"${name}":${place < filled.length ? fill[name] : set[name]}`
  }
  const joint = added && !isEmpty ? ',' : ''
  return text.slice(0, from + 1) + added + joint + rest + text.slice(copied)
}

/** Which of the names stands from quote to quote; -1 for none. */
function placeOf(names: readonly string[], text: string, start: number, end: number): number {
  for (let place = 0; place < names.length; place++) if (isNamed(names[place]!, text, start, end)) return place
  return -1
}

function isNamed(name: string, text: string, start: number, end: number): boolean {
  return name.length === end - start - 2 && text.startsWith(name, start + 1)
}

function isNull(text: string, start: number, end: number): boolean {
  return end - start === 4 && text.startsWith('null', start)
}

/** Without the member that begins at `start`, and the comma that it brings. */
function withoutMember(text: string, from: number, start: number): string {
  const members = membersOf(text, from)
  const at = members.findIndex((member) => member.start === start)
  const { end } = members[at]!
  return at === 0
    ? text.slice(0, start) + text.slice(members[1]?.start ?? end)
    : text.slice(0, members[at - 1]!.end) + text.slice(end)
}

/** JSON as a latin1 string, one character for each byte: text that is not ASCII stays as its UTF-8 bytes. */
export function bytesOfJson(value: unknown): string {
  if (typeof value === 'string' && asItIs.test(value)) return `"${value}"`
  if (typeof value === 'boolean' || value === null) return String(value)
  return Buffer.from(JSON.stringify(value)).toString('latin1')
}

/** ASCII without quotes, backslashes and control characters. */
const asItIs = /^[ !#-[\]-~]*$/
