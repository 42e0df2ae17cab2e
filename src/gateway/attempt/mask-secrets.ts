import { tracesOf } from './find-credential.ts'
import { asItStands, type Unescaped, unescaped } from './remove-escapes.ts'

/** Credentials as providers write them, wherever they stand in a message. */
const written = /\b(?:sk|pk|rk|key|xai|gsk|hf|csk|nvapi|sb-v1)[-_][\w-]{12,}|\bAIza[\w-]{20,}|\bBearer\s+\S+/gi

/** A text, however long, without what looks like a credential. */
export const withoutCredentials = (text: string): string => text.replace(written, '[secret]')

/** The longest text that is scanned and shown. The rest is cut off. */
const maxScanned = 8 * 1024

/** The most layers of escapes that are removed, for example for an error inside an error inside a page. */
const maxLayers = 3

/**
 * An upstream's words without credentials: the very one it was sent, whole or in part, in any case, escaped or in
 * base64, and whatever else looks like one. Longer texts are cut.
 */
export function maskSecrets(said: string, credential?: string): string {
  const text = said.slice(0, maxScanned)
  const traces = credential ? tracesOf(credential) : () => []
  const secret = new Uint8Array(text.length)
  let layer: Unescaped | undefined = asItStands(text)
  for (let depth = 0; layer && depth <= maxLayers; depth++) {
    const { text: plain, starts } = layer
    const looksLike = Array.from(plain.matchAll(written), (match) => [match.index, match.index + match[0].length])
    for (const [start, end] of [...traces(plain), ...looksLike]) secret.fill(1, starts[start!], starts[end!])
    layer = unescaped(layer)
  }
  return masked(text, secret)
}

function masked(text: string, secret: Uint8Array): string {
  let out = ''
  let from = 0
  for (let at = secret.indexOf(1); at >= 0; at = secret.indexOf(1, from)) {
    out += `${text.slice(from, at)}[secret]`
    from = secret.indexOf(0, at)
    if (from < 0) return out
  }
  return out + text.slice(from)
}
