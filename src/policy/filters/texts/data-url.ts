/** Media types of text. A data URL without a type contains plain text. */
const textMediaType = /^(?:$|;|text\/|message\/|image\/svg\+xml|[^;]*[/+](?:x-)?(?:json|xml|yaml)(?:;|$))/i
/** The spaces and control characters that parsers of URLs ignore before a URL. */
const dataScheme = '^[\\0- ]*data:'
const dataSchemePattern = new RegExp(dataScheme, 'i')
const prefixPattern = new RegExp(`${dataScheme}([^,]*),`, 'i')
const base64Suffix = /;\s*base64\s*$/i
/** Allows spaces in one position only. With two, a long run of spaces would backtrack. */
const base64Pattern = /^[A-Za-z0-9+/_\s-]*(?:={1,2}\s*)?$/
/** A PDF can consist of text bytes only, and it breaks if its length changes. A few bytes can precede its signature. */
const pdfSignature = '%PDF-'
const maxSignatureEnd = 16
/** The number of bytes that are checked to detect text, as in Git. */
const sniffedBytes = 8000

export const isDataUrl = (text: string): boolean => dataSchemePattern.test(text)

/** Rewrites the text in a data URL and keeps its encoding. A data URL without text is not changed. */
export function rewriteDataUrl(url: string, rewrite: (text: string) => string): string {
  const [prefix, mediaType] = prefixPattern.exec(url) ?? []
  if (prefix === undefined || mediaType === undefined) return url
  const data = url.slice(prefix.length)
  if (base64Suffix.test(mediaType)) return prefix + rewriteBase64(data, mediaType, rewrite)
  const text = decodePercent(data)
  const rewritten = rewrite(text)
  return rewritten === text ? url : prefix + encodeURIComponent(rewritten)
}

export const isBase64 = (data: string): boolean => base64Pattern.test(data)

/**
 * Rewrites the text in plain base64 and keeps its encoding. Content counts as text if its media type says so, or if its bytes
 * are text.
 */
export function rewriteBase64(data: string, mediaType: string, rewrite: (text: string) => string): string {
  if (!textMediaType.test(mediaType) && !looksLikeText(data)) return data
  const bytes = Buffer.from(data, 'base64')
  const encoding = encodingOf(bytes)
  const text = bytes.toString(encoding)
  const rewritten = text === '' ? text : rewrite(text)
  return rewritten === text ? data : Buffer.from(rewritten, encoding).toString('base64')
}

function looksLikeText(data: string): boolean {
  // Base64 has four characters for three bytes.
  const bytes = Buffer.from(data.slice(0, (sniffedBytes / 3) * 4), 'base64')
  if (bytes.length >= 2 && isUtf16(bytes)) return true
  return !bytes.includes(0) && !bytes.subarray(0, maxSignatureEnd).toString('latin1').includes(pdfSignature)
}

/** Detects an encoding that reproduces the same bytes if nothing is rewritten. */
function encodingOf(bytes: Buffer): 'utf8' | 'latin1' | 'utf16le' {
  if (bytes.length >= 2 && isUtf16(bytes)) return 'utf16le'
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes) ? 'utf8' : 'latin1'
}

const isUtf16 = (bytes: Buffer) => bytes[0] === 0xff && bytes[1] === 0xfe

/** Decodes percent escapes. Invalid ones are kept. */
function decodePercent(data: string): string {
  return data.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
}
