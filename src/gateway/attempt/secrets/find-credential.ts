/** The number of consecutive characters of a credential that count as a leak. In an encoding, eight bytes have more characters. */
const leakLength = { plain: 8, base64: 12, hex: 16 }

/**
 * Finds a credential, or a long enough part of it, in a text: in any case, plain, in base64 or in hexadecimal. Takes
 * linear time in the length of the text.
 */
export function createCredentialFinder(credential: string): (text: string) => [start: number, end: number][] {
  const bytes = Buffer.from(credential)
  const findPlain = createSubstringFinder(credential, leakLength.plain)
  const findHex = createSubstringFinder(bytes.toString('hex'), leakLength.hex)
  const base64Finders = [0, 1, 2].map((before) => createSubstringFinder(base64Core(bytes, before), leakLength.base64))
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
  // One or two preceding bytes determine two or three characters at the start, and an incomplete group the last one.
  const dependentAtStart = before === 0 ? 0 : before + 1
  const dependentAtEnd = (bytes.length + before) % 3 === 0 ? 0 : 1
  return padded.slice(dependentAtStart, padded.length - dependentAtEnd)
}

/** Finds all substrings of `length` characters of a word in a text, with a rolling hash. Finds a shorter word as a whole. */
function createSubstringFinder(word: string, length: number): (text: string) => [number, number][] {
  const foundLength = Math.min(word.length, length)
  // A single character is in every text.
  if (foundLength < 2) return () => []
  const lowerWord = lowerCase(word)
  const substrings = new Map<number, string[]>()
  forEachSubstring(lowerWord, foundLength, (hash, at) => {
    substrings.getOrInsertComputed(hash, () => []).push(lowerWord.slice(at, at + foundLength))
  })
  return (text) => {
    const positions: [number, number][] = []
    forEachSubstring(text, foundLength, (hash, at) => {
      if (substrings.get(hash)?.includes(text.slice(at, at + foundLength))) positions.push([at, at + foundLength])
    })
    return positions
  }
}

const hashBase = 31

function forEachSubstring(text: string, length: number, visit: (hash: number, at: number) => void): void {
  let oldestWeight = 1
  for (let step = 1; step < length; step++) oldestWeight = Math.imul(oldestWeight, hashBase)
  let hash = 0
  for (let at = 0; at < text.length; at++) {
    if (at >= length) hash = (hash - Math.imul(text.charCodeAt(at - length), oldestWeight)) | 0
    hash = (Math.imul(hash, hashBase) + text.charCodeAt(at)) | 0
    if (at >= length - 1) visit(hash, at - length + 1)
  }
}
