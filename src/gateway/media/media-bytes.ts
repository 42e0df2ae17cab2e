import { isUtf8 } from 'node:buffer'

/** The parts of a data URL. Its data begins at `start`. */
export type DataUrl = { mediaType: string; isBase64: boolean; start: number }

const base64Mark = /;\s*base64\s*$/i

/** Parses the head of a data URL; undefined for other text. */
export function parseDataUrl(value: string): DataUrl | undefined {
  if (!/^data:/i.test(value)) return undefined
  const comma = value.indexOf(',')
  if (comma === -1) return undefined
  const mediaType = value.slice(5, comma)
  return { mediaType: mediaType.trim().toLowerCase(), isBase64: base64Mark.test(mediaType), start: comma + 1 }
}

/**
 * The bytes of a medium that is contained in the request.
 * @param limit the approximate number of bytes to decode; all bytes by default.
 * @returns undefined if decoders could disagree about the bytes, so that nothing about the medium is certain.
 */
export function decodeMedium(value: string, url: DataUrl | undefined, limit?: number): Buffer | undefined {
  const start = url?.start ?? 0
  const end = limit === undefined ? value.length : start + 4 * Math.ceil(limit / 3)
  const data = value.slice(start, end)
  return url && !url.isBase64 ? decodeEscapes(data) : decodeBase64(data)
}

/** Base64 can have line breaks and spaces, which decoders skip. */
function decodeBase64(data: string): Buffer | undefined {
  return decodeStrictBase64(data) ?? decodeStrictBase64(data.replace(/[\r\n\t ]+/g, ''))
}

/** Node accepts more alphabets than other decoders, and skips unknown characters. */
function decodeStrictBase64(data: string): Buffer | undefined {
  if (data.includes('-') || data.includes('_')) return undefined
  const padding = data.indexOf('=')
  const digits = padding === -1 ? data.length : padding
  if (data.length - digits > 2) return undefined
  const bytes = Buffer.from(data, 'base64')
  return bytes.length === Math.floor((digits * 3) / 4) ? bytes : undefined
}

/** A percent sign without two digits is a literal percent sign. */
function decodeEscapes(data: string): Buffer {
  const bytes = Buffer.from(data).toString('latin1')
  const byte = (_escape: string, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))
  return Buffer.from(bytes.replace(/%([0-9a-f]{2})/gi, byte), 'latin1')
}

/** Text formats that contain more than their visible words. */
const documentMarks = ['%PDF-', '%!PS', '{\\rtf', '<svg']
/** Readers of PDF accept its mark anywhere in the first 1,024 bytes. */
const markLength = 1024

/** Whether every reader treats it as text. All other formats contain a zero byte or bytes that are not UTF-8. */
export function isText(bytes: Buffer): boolean {
  if (bytes.includes(0) || !isUtf8(bytes)) return false
  const head = bytes.toString('latin1', 0, markLength)
  return !documentMarks.some((mark) => head.includes(mark))
}

/** Whether a reader can take the bytes for a PDF file. */
export function isPossiblyPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, markLength).includes('%PDF-')
}
