import { createCredentialFinder } from './find-credential.ts'
import { type PositionedText, removeEscapes, withPositions } from './remove-escapes.ts'

/** Matches the usual forms of credentials. */
const credentialPattern =
  /\b(?:sk|pk|rk|key|xai|gsk|hf|csk|nvapi|sb-v1)[-_][\w-]{12,}|\bAIza[\w-]{20,}|\bBearer\s+\S+/gi

/** Masks everything in a text that looks like a credential. */
export const maskCredentials = (text: string): string => text.replace(credentialPattern, '[secret]')

/** The maximum length of a scanned text. The rest is cut off. */
const maxScannedLength = 8 * 1024

/** The maximum layers of escapes that are removed. Errors can be nested in errors and pages. */
const maxLayers = 3

/**
 * Masks credentials in an upstream's message. It finds the one that was sent, whole or in part, in any case, escaped or encoded.
 * It also masks everything that looks like a credential, and cuts long texts.
 */
export function maskSecrets(message: string, credential?: string): string {
  const text = message.slice(0, maxScannedLength)
  const findCredential = credential ? createCredentialFinder(credential) : () => []
  const secretMask = new Uint8Array(text.length)
  let layer: PositionedText | undefined = withPositions(text)
  for (let depth = 0; layer && depth <= maxLayers; depth++) {
    const { text: plain, starts } = layer
    const patternMatches = Array.from(plain.matchAll(credentialPattern), (match) => [
      match.index,
      match.index + match[0].length,
    ])
    for (const [start, end] of [...findCredential(plain), ...patternMatches])
      secretMask.fill(1, starts[start!], starts[end!])
    layer = removeEscapes(layer)
  }
  return replaceSecrets(text, secretMask)
}

function replaceSecrets(text: string, secretMask: Uint8Array): string {
  let out = ''
  let from = 0
  for (let at = secretMask.indexOf(1); at >= 0; at = secretMask.indexOf(1, from)) {
    out += `${text.slice(from, at)}[secret]`
    from = secretMask.indexOf(0, at)
    if (from < 0) return out
  }
  return out + text.slice(from)
}
