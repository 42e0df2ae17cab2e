import { stringEnd } from './json-fields.ts'

const [space, colon] = [32, 58]

/** JSON whose names have no escapes, and the original names that were replaced. */
type PlainNames = { text: string; originals: ReadonlyMap<string, string> | undefined }

/**
 * Rewrites the names of fields that contain escapes, because of a bug of the JSON parser of V8 14. The parser predicts the next
 * name of an object from objects that it parsed before. It compares the prediction with the source of the name, before the escapes
 * are decoded, and accepts a prefix. One client could thus change the requests of others: after it had sent a field with the name
 * `cont\u0` (with a backslash), every `"cont\u0065nt"` was parsed as `cont\u0`; after `^\\d+`, every `"^\\d+$"`. Names that need
 * no escape are written without one. Any other name is replaced until `restoreNames`. The text can be invalid JSON.
 */
export function withPlainNames(text: string): PlainNames {
  const unchanged = { text, originals: undefined }
  if (!text.includes('\\')) return unchanged
  const names = escapedNames(text)
  if (names.length === 0) return unchanged
  const prefix = '~'.repeat(longestRun(text, names) + 1)
  const replacements = new Map<string, string>()
  let plain = ''
  let copied = 0
  for (const { start, end, name } of names) {
    let written = JSON.stringify(name)
    if (written.includes('\\')) {
      if (!replacements.has(name)) replacements.set(name, `${prefix}${replacements.size}`)
      written = `"${replacements.get(name)}"`
    }
    plain += text.slice(copied, start) + written
    copied = end
  }
  const originals = new Map([...replacements].map(([name, replacement]) => [replacement, name]))
  return { text: plain + text.slice(copied), originals: originals.size > 0 ? originals : undefined }
}

type EscapedName = { start: number; end: number; name: string }

/** The names with escapes, without invalid ones, which the parser rejects. */
function escapedNames(text: string): EscapedName[] {
  const names: EscapedName[] = []
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = stringEnd(text, start)
    let afterString = end
    while (text.charCodeAt(afterString) <= space) afterString++
    if (text.charCodeAt(afterString) === colon) {
      const written = text.slice(start, end)
      const name = written.includes('\\') ? parseString(written) : undefined
      if (name !== undefined) names.push({ start, end, name })
    }
    start = text.indexOf('"', afterString)
  }
  return names
}

function parseString(written: string): string | undefined {
  try {
    return JSON.parse(written) as string
  } catch {
    return undefined
  }
}

/** The longest run of `~`. No name contains a longer run. */
function longestRun(text: string, names: readonly EscapedName[]): number {
  let longest = 0
  for (const source of [text, ...names.map(({ name }) => name)])
    for (const [run] of source.matchAll(/~+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Restores replaced names in all objects of a value. */
function restoreNames(value: unknown, originals: ReadonlyMap<string, string>): void {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const inner = pending.pop()
    if (typeof inner !== 'object' || inner === null) continue
    if (!Array.isArray(inner)) renameFields(inner as Record<string, unknown>, originals)
    for (const field of Object.values(inner)) if (typeof field === 'object') pending.push(field)
  }
}

/** Sets all fields again, so that their order stays the same. */
function renameFields(object: Record<string, unknown>, originals: ReadonlyMap<string, string>): void {
  const fields = Object.entries(object)
  if (!fields.some(([name]) => originals.has(name))) return
  for (const [name] of fields) delete object[name]
  // An assignment to `__proto__` would set the prototype.
  for (const [name, value] of fields)
    Object.defineProperty(object, originals.get(name) ?? name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
}

/** Parses JSON without mistaking escaped names. @throws Error of `parse` for invalid text. */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  const { text: plain, originals } = withPlainNames(text)
  const value = parse(plain)
  if (originals) restoreNames(value, originals)
  return value
}
