/** The number of consecutive characters of a credential that count as a leak. In an encoding, eight bytes have more characters. */
const minLength = { plain: 8, base64: 12, hex: 16 }

/**
 * Finds a credential, or a long enough part of it, in a text: in any case, plain, in base64 or in hexadecimal. Takes
 * linear time in the length of the text.
 */
export function credentialFinder(credential: string): (text: string) => [start: number, end: number][] {
  const bytes = Buffer.from(credential)
  const findPlain = substringFinder(credential, minLength.plain)
  const findHex = substringFinder(bytes.toString('hex'), minLength.hex)
  const base64Finders = [0, 1, 2].map((before) => substringFinder(base64Core(bytes, before), minLength.base64))
  return (text) => {
    const plain = lowerCase(text)
    // Base64 has two alphabets.
    const standardBase64 = plain.replaceAll('-', '+').replaceAll('_', '/')
    return [...findPlain(plain), ...findHex(plain), ...base64Finders.flatMap((search) => search(standardBase64))]
  }
}

/** Lower case for ASCII only: other letters may change their length, which would shift positions. */
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (run) => run.toLowerCase())

/**
 * The part of the base64 text that does not depend on adjacent bytes.
 * @param before the preceding bytes in its first group of three.
 */
function base64Core(bytes: Buffer, before: number): string {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const dependent = (bytes.length + before) % 3 === 0 ? 0 : 1
  return padded.slice(before === 0 ? 0 : before + 1, padded.length - dependent)
}

/** Finds all substrings of `maxLength` characters of a word in a text, with a rolling hash. Finds a shorter word as a whole. */
function substringFinder(word: string, maxLength: number): (text: string) => [number, number][] {
  const length = Math.min(word.length, maxLength)
  // A single character is in every text.
  if (length < 2) return () => []
  const lower = lowerCase(word)
  const substrings = new Map<number, string[]>()
  eachSubstring(lower, length, (hash, at) => {
    substrings.getOrInsertComputed(hash, () => []).push(lower.slice(at, at + length))
  })
  return (text) => {
    const positions: [number, number][] = []
    eachSubstring(text, length, (hash, at) => {
      if (substrings.get(hash)?.includes(text.slice(at, at + length))) positions.push([at, at + length])
    })
    return positions
  }
}

const hashBase = 31

function eachSubstring(text: string, length: number, visit: (hash: number, at: number) => void): void {
  let oldestWeight = 1
  for (let step = 1; step < length; step++) oldestWeight = Math.imul(oldestWeight, hashBase)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    if (at >= length) hash = (hash - Math.imul(text.charCodeAt(at - length), oldestWeight)) | 0
    hash = (Math.imul(hash, hashBase) + text.charCodeAt(at)) | 0
    if (at >= length - 1) visit(hash, at - length + 1)
  }
}
