/** Values from earlier answers of a page, by their name on the page. */
export type Kept = Record<string, string>

/** The first difference between an answer and the expected one; undefined if there is none. */
export function difference(actual: any, expected: any, stored: Kept, path = 'the answer'): string | undefined {
  if (typeof expected === 'string') return textDifference(actual, expected, stored, path)
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(actual, expected) ? undefined : `${path} is ${JSON.stringify(actual)}, not ${expected}`
  }
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${path} is ${JSON.stringify(actual)}`
  }
  const isOpen = Array.isArray(expected) ? expected.at(-1) === '…' : '…' in expected
  const open = Array.isArray(expected) ? String(expected.length - 1) : '…'
  const keys = Object.keys(expected).filter((key) => !isOpen || key !== open)
  const extra = Object.keys(actual).filter((key) => !(key in expected))
  if (!isOpen && extra.length > 0) return `${path} also has ${extra.join(', ')}`
  for (const key of keys) {
    if (!(key in actual)) return `${path} has no ${key}`
    const wrong = difference(actual[key], expected[key], stored, `${path}.${key}`)
    if (wrong) return wrong
  }
  return undefined
}

function textDifference(actual: unknown, expected: string, stored: Kept, path: string): string | undefined {
  if (expected === '…') return undefined
  const name = /^\$([A-Z_]+)$/.exec(expected)?.[1]
  if (name && !(name in stored) && typeof actual === 'string') stored[name] = actual
  const resolved = name ? (stored[name] ?? expected) : expected
  const pattern = new RegExp(`^${resolved.split('…').map(RegExp.escape).join('.*')}$`, 's')
  return typeof actual === 'string' && pattern.test(actual)
    ? undefined
    : `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(resolved)}`
}
