/** The position of an object's field in JSON text: from the opening quote of its name to the end of its value. */
type Field = { name: string; start: number; valueStart: number; end: number }

const quote = 34
const backslash = 92
const comma = 44
/** The space and all control characters have this code or a lower one. */
const space = 32
const [openBrace, closeBrace] = [123, 125]
const [openBracket, closeBracket] = [91, 93]

/**
 * Finds the fields of the object that begins at `from`, without parsing their values. The text must be valid JSON. It can
 * be UTF-8 decoded as latin1, because the searched names and the punctuation are ASCII.
 */
export function findFields(text: string, from: number): Field[] {
  const fields: Field[] = []
  let at = afterSpace(text, from + 1)
  while (text.charCodeAt(at) === quote) {
    const nameEnd = stringEnd(text, at)
    const valueStart = afterSpace(text, afterSpace(text, nameEnd) + 1)
    const end = valueEnd(text, valueStart)
    fields.push({ name: text.slice(at + 1, nameEnd - 1), start: at, valueStart, end })
    const next = afterSpace(text, end)
    if (text[next] !== ',') break
    at = afterSpace(text, next + 1)
  }
  return fields
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= space) at++
  return at
}

/** The characters after an escaped quote that are read one by one. */
const steppedCharacters = 256

/** Returns the position after the closing quote of the string that begins at `from`. */
export function stringEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length) {
    const end = text.indexOf('"', at)
    if (end === -1) return text.length
    if (!isEscaped(text, end)) return end + 1
    // Escaped quotes usually occur in groups. Searching for each one separately takes ten times as long.
    at = end + 1
    for (const stop = Math.min(at + steppedCharacters, text.length); at < stop; at++) {
      const char = text.charCodeAt(at)
      if (char === quote) return at + 1
      if (char === backslash) at++
    }
  }
  return text.length
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}

/** Returns the position after the value that begins at `from`. */
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
  while (end > from && text.charCodeAt(end - 1) <= space) end--
  return end
}

/**
 * Changes to an object's fields. Values are JSON text. `set` replaces or adds fields, `fill` adds missing ones, and
 * `notNull` names fields that are removed if they are null.
 */
export type Changes = {
  set: Readonly<Record<string, string>>
  fill: Readonly<Record<string, string>>
  notNull?: readonly string[]
}

/** Applies changes to the object that begins at `from`. New fields come first. All other bytes stay unchanged. */
export function applyChanges(text: string, from: number, { set, fill, notNull }: Changes): string {
  const filled = Object.keys(fill)
  const names = filled.concat(Object.keys(set))
  /** A bit mask of the names that the object contains, for up to 31 names. */
  let presentNames = 0
  let changedText = ''
  let copiedEnd = from + 1
  let at = afterSpace(text, copiedEnd)
  const isEmpty = text.charCodeAt(at) !== quote
  while (text.charCodeAt(at) === quote) {
    const nameEnd = stringEnd(text, at)
    const valueStart = afterSpace(text, afterSpace(text, nameEnd) + 1)
    const end = valueEnd(text, valueStart)
    const nameIndex = indexOfName(names, text, at, nameEnd)
    if (nameIndex !== -1) presentNames |= 1 << nameIndex
    if (nameIndex >= filled.length) {
      changedText += text.slice(copiedEnd, valueStart) + set[names[nameIndex]!]
      copiedEnd = end
    } else if (notNull !== undefined && isNull(text, valueStart, end) && indexOfName(notNull, text, at, nameEnd) !== -1)
      return applyChanges(withoutField(text, from, at), from, { set, fill, notNull })
    const next = afterSpace(text, end)
    if (text.charCodeAt(next) !== comma) break
    at = afterSpace(text, next + 1)
  }
  let added = ''
  for (let nameIndex = 0; nameIndex < names.length; nameIndex++) {
    if ((presentNames & (1 << nameIndex)) !== 0) continue
    const name = names[nameIndex]!
    added += `${added && ','}"${name}":${nameIndex < filled.length ? fill[name] : set[name]}`
  }
  const separator = added && !isEmpty ? ',' : ''
  return text.slice(0, from + 1) + added + separator + changedText + text.slice(copiedEnd)
}

/** Returns the index of the name between the quotes at `start` and `end`; -1 if it is none of `names`. */
function indexOfName(names: readonly string[], text: string, start: number, end: number): number {
  for (let nameIndex = 0; nameIndex < names.length; nameIndex++)
    if (isNamed(names[nameIndex]!, text, start, end)) return nameIndex
  return -1
}

function isNamed(name: string, text: string, start: number, end: number): boolean {
  return name.length === end - start - 2 && text.startsWith(name, start + 1)
}

function isNull(text: string, start: number, end: number): boolean {
  return end - start === 4 && text.startsWith('null', start)
}

/** Removes the field that begins at `start`, with its comma. */
function withoutField(text: string, from: number, start: number): string {
  const fields = findFields(text, from)
  const at = fields.findIndex((field) => field.start === start)
  const { end } = fields[at]!
  return at === 0
    ? text.slice(0, start) + text.slice(fields[1]?.start ?? end)
    : text.slice(0, fields[at - 1]!.end) + text.slice(end)
}

/** Serializes a value to JSON in UTF-8, returned as a latin1 string of one character per byte. */
export function toLatin1Json(value: unknown): string {
  if (typeof value === 'string' && unescapedText.test(value)) return `"${value}"`
  if (typeof value === 'boolean' || value === null) return String(value)
  return Buffer.from(JSON.stringify(value)).toString('latin1')
}

/** ASCII without quotes, backslashes and control characters. */
const unescapedText = /^[ !#-[\]-~]*$/
