const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Whether a text is JSON as a whole: an object, an array, or a text in quotes. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Rewrites the texts and numbers in a JSON text and leaves every other byte as it is. `rewrite` gets a value and the
 * name of its field (empty for a name itself, and in arrays), and returns what takes its place: a text.
 */
export function rewriteJsonText(json: string, rewrite: (value: string, name: string) => string): string {
  let name = ''
  return json.replace(token, (written: string, offset: number) => {
    if (!written.startsWith('"')) {
      const rewritten = rewrite(written, name)
      return rewritten === written ? written : JSON.stringify(rewritten)
    }
    const value = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
    const isName = followedByColon(json, offset + written.length)
    const rewritten = value === '' ? '' : rewrite(value, isName ? '' : name)
    if (isName) name = value
    return rewritten === value ? written : JSON.stringify(rewritten)
  })
}

function followedByColon(json: string, from: number): boolean {
  let at = from
  while (at < json.length && ' \t\n\r'.includes(json[at]!)) at++
  return json[at] === ':'
}
