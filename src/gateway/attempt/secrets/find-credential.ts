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
  const base64Finders = [0, 1, 2].map((precedingBytes) =>
    createSubstringFinder(base64Core(bytes, precedingBytes), leakLength.base64),
  )
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
 * @param precedingBytes the preceding bytes in its first group of three.
 */
function base64Core(bytes: Buffer, precedingBytes: number): string {
  const padded = Buffer.concat([Buffer.alloc(precedingBytes), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  // One or two preceding bytes determine two or three characters at the start, and an incomplete group the last one.
  const dependentAtStart = precedingBytes === 0 ? 0 : precedingBytes + 1
  const dependentAtEnd = (bytes.length + precedingBytes) % 3 === 0 ? 0 : 1
  return padded.slice(dependentAtStart, padded.length - dependentAtEnd)
}

/** Finds all substrings of `length` characters of `searchedText` in a text, with a rolling hash. Finds a shorter `searchedText` as a whole. */
function createSubstringFinder(searchedText: string, length: number): (text: string) => [number, number][] {
  const foundLength = Math.min(searchedText.length, length)
  // A single character is in every text.
  if (foundLength < 2) return () => []
  const lowerText = lowerCase(searchedText)
  const substrings = new Map<number, string[]>()
  forEachSubstring(lowerText, foundLength, (hash, at) => {
    substrings.getOrInsertComputed(hash, () => []).push(lowerText.slice(at, at + foundLength))
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
