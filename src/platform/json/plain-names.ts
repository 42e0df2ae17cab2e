import { stringEnd } from './json-members.ts'

const colon = 58

/** JSON whose names have no escapes, and the original names of those that were replaced. */
export type PlainNames = { text: string; originals: ReadonlyMap<string, string> | undefined }

/**
 * Rewrites names that are written with escapes. V8 14 guesses the next name of an object from objects that it read before,
 * and compares a name that has escapes with its guess as the name is written: once anybody had sent a member called
 * `cont\u0`, everybody's `"cont\u0065nt"` was read as that, and once anybody had sent `^\\d+`, everybody's `"^\\d+$"`. A
 * name that cannot be written without an escape is replaced until `restoreNames`. The text can be invalid JSON.
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

/** The names with escapes, except invalid ones, which the parser rejects. */
function escapedNames(text: string): EscapedName[] {
  const names: EscapedName[] = []
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = stringEnd(text, start)
    let next = end
    while (text.charCodeAt(next) <= 32) next++
    if (text.charCodeAt(next) === colon) {
      const written = text.slice(start, end)
      const name = written.includes('\\') ? stringOf(written) : undefined
      if (name !== undefined) names.push({ start, end, name })
    }
    start = text.indexOf('"', next)
  }
  return names
}

function stringOf(written: string): string | undefined {
  try {
    return JSON.parse(written) as string
  } catch {
    return undefined
  }
}

/** The most `~` in a row. A longer run is in no name. */
function longestRun(text: string, names: readonly EscapedName[]): number {
  let longest = 0
  for (const one of [text, ...names.map(({ name }) => name)])
    for (const [run] of one.matchAll(/~+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Gives replaced names back to all objects of a value. */
export function restoreNames(value: unknown, originals: ReadonlyMap<string, string>): void {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const inner = pending.pop()
    if (typeof inner !== 'object' || inner === null) continue
    if (!Array.isArray(inner)) rename(inner as Record<string, unknown>, originals)
    for (const member of Object.values(inner)) if (typeof member === 'object') pending.push(member)
  }
}

/** Sets all members again, so that they stay in order. */
function rename(object: Record<string, unknown>, originals: ReadonlyMap<string, string>): void {
  const members = Object.entries(object)
  if (!members.some(([name]) => originals.has(name))) return
  for (const [name] of members) delete object[name]
  for (const [name, value] of members)
    Object.defineProperty(object, originals.get(name) ?? name, {
      ...{ value, writable: true, enumerable: true, configurable: true },
    })
}

/** Parses JSON, with the names of its objects as they are. @throws Error of `parse` for other text. */
export function parseJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  const { text: plain, originals } = withPlainNames(text)
  const value = parse(plain)
  if (originals) restoreNames(value, originals)
  return value
}
