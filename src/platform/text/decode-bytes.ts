/**
 * Longer bytes are decoded in parts. Node stores a decoded string of more than 1 MB outside the heap of V8. V8 frees it only in
 * a full collection, which starts after every 64 MB of such strings. For bodies of 2 MB that was half the cost. A string
 * concatenated from shorter ones is in the heap and is freed by the young generation's collector.
 */
const maxPartBytes = 1_000_000

/** Returns the text of `bytes.toString('utf8')`, decoded in parts. */
export function decodeUtf8(bytes: Buffer): string {
  if (bytes.length <= maxPartBytes) return bytes.toString('utf8')
  let text = ''
  for (let from = 0; from < bytes.length; ) {
    const to = from + maxPartBytes < bytes.length ? characterStart(bytes, from + maxPartBytes) : bytes.length
    text += bytes.toString('utf8', from, to)
    from = to
  }
  return text
}

/** Returns the text of `bytes.toString('latin1')`, decoded in parts. */
export function decodeLatin1(bytes: Buffer): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += maxPartBytes)
    text += bytes.toString('latin1', from, from + maxPartBytes)
  return text
}

/** Returns the position of the first byte of the character that contains the byte at `at`. Any position for invalid UTF-8. */
function characterStart(bytes: Buffer, at: number): number {
  for (let start = at; start > at - 4; start--) if (!isContinuationByte(bytes[start]!)) return start
  return at
}

/** Whether a byte of UTF-8 continues a character. */
export const isContinuationByte = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Removes the byte order mark that some servers put before JSON and streams. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return byteOrderMark.equals(bytes.subarray(0, 3)) ? bytes.subarray(3) : bytes
}

/** Bytes in the encoding of a content type as UTF-8. Unknown encodings count as UTF-8. */
export function toUtf8(bytes: Buffer, contentType: string): Buffer {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]
  if (charset === undefined || /^utf-?8$/i.test(charset)) return bytes
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes))
  } catch {
    return bytes
  }
}
