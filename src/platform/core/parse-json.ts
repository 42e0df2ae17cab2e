/** Parses JSON. @returns `other` if the text is not JSON. */
export function parseJsonOr(text: string, other: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return other
  }
}
