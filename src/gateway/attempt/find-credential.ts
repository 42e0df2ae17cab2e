/** So many characters in a row of a credential, or of a code of it, give it away. Less may stand in any text. */
const meaningful = { plain: 8, base64: 12, hex: 16 }

/**
 * The traces of one credential in a text: it, or a meaningful part of it, in any case, as it is or in base64 or
 * hexadecimal digits. Looking for them takes time linear in the text, however long the credential is.
 */
export function tracesOf(credential: string): (text: string) => [start: number, end: number][] {
  const bytes = Buffer.from(credential)
  const asIs = runsOf(credential, meaningful.plain)
  const inHex = runsOf(bytes.toString('hex'), meaningful.hex)
  const inBase64 = [0, 1, 2].map((before) => runsOf(base64Core(bytes, before), meaningful.base64))
  return (text) => {
    const plain = lowerCase(text)
    // Base64 has two alphabets.
    const oneAlphabet = plain.replaceAll('-', '+').replaceAll('_', '/')
    return [...asIs(plain), ...inHex(plain), ...inBase64.flatMap((search) => search(oneAlphabet))]
  }
}

/** Lower case for ASCII only: other letters may change their length, which would shift positions. */
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (run) => run.toLowerCase())

/**
 * The part of the base64 text that is the same whatever bytes stand around it. `before` is the number of bytes that
 * stand before it in its first group of three.
 */
function base64Core(bytes: Buffer, before: number): string {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const unsettled = (bytes.length + before) % 3 === 0 ? 0 : 1
  return padded.slice(before === 0 ? 0 : before + 1, padded.length - unsettled)
}

/**
 * Finds all runs of `longest` characters that stand in the word too, by a rolling hash; of a shorter word only itself.
 */
function runsOf(word: string, longest: number): (text: string) => [number, number][] {
  const length = Math.min(word.length, longest)
  if (length < 2) return () => []
  const lower = lowerCase(word)
  const known = new Map<number, string[]>()
  eachRun(lower, length, (hash, at) => {
    known.getOrInsertComputed(hash, () => []).push(lower.slice(at, at + length))
  })
  return (text) => {
    const found: [number, number][] = []
    eachRun(text, length, (hash, at) => {
      if (known.get(hash)?.includes(text.slice(at, at + length))) found.push([at, at + length])
    })
    return found
  }
}

const base = 31

function eachRun(text: string, length: number, tell: (hash: number, at: number) => void): void {
  let oldest = 1
  for (let step = 1; step < length; step++) oldest = Math.imul(oldest, base)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    if (at >= length) hash = (hash - Math.imul(text.charCodeAt(at - length), oldest)) | 0
    hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
    if (at >= length - 1) tell(hash, at - length + 1)
  }
}
