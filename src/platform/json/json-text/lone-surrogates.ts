/** An escape of a surrogate pair or of half of one, with the escaped backslashes before it. */
const surrogateEscapes = /(?<!\\)((?:\\\\)*)\\u(?:d[89ab][0-9a-f]{2}(\\ud[c-f][0-9a-f]{2})?|d[c-f][0-9a-f]{2})/gi

/**
 * Replaces escapes of half a surrogate pair in JSON text. Clients that cut a text within an emoji send them, and providers
 * refuse the whole request.
 */
export function replaceLoneSurrogates(json: string): string {
  if (!json.includes('\\ud') && !json.includes('\\uD')) return json
  return json.replace(surrogateEscapes, (sequence: string, backslashes: string, low?: string) =>
    low === undefined ? `${backslashes}\\ufffd` : sequence,
  )
}
