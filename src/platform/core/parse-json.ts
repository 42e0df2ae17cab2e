/** Parses JSON. @returns `other` if the text is not JSON. */
export function parseJsonOr(text: string, other: unknown, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch {
    return other
  }
}
