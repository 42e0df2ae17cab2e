/** An escape in JSON: a surrogate pair, half of one, or any other escape, which is skipped. */
const escapes = /\\(?:u(d[89ab][0-9a-f]{2})(\\ud[c-f][0-9a-f]{2})?|u(d[c-f][0-9a-f]{2})|[\s\S])/gi

/**
 * Replaces escapes of half a surrogate pair in JSON text. Clients that cut a text within an emoji send them, and providers
 * refuse the whole request.
 */
export function replaceLoneSurrogates(json: string): string {
  if (!json.includes('\\ud') && !json.includes('\\uD')) return json
  return json.replace(escapes, (sequence: string, high?: string, low?: string, lone?: string) =>
    (high !== undefined && low === undefined) || lone !== undefined ? '\\ufffd' : sequence,
  )
}
