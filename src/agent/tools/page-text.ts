import { toUtf8 } from '#platform/text/decode-bytes.ts'
import type { Page } from '../web/fetch-page.ts'
import { htmlToText } from '../web/html-text.ts'
import { isBinary } from './files/text.ts'

/** Returns the text of a page in any character set; of HTML its words. */
export function pageToText({ contentType, type, bytes }: Omit<Page, 'url' | 'status' | 'isWhole'>): string {
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml'
  const hasCharset = /charset\s*=/i.test(contentType)
  const utf8 = toUtf8(bytes, findMark(bytes) ?? (isHtml && !hasCharset ? findMetaElement(bytes) : contentType))
  if (isBinary(utf8)) return '(no text)'
  const text = utf8.toString('utf8')
  return isHtml ? htmlToText(text) : text
}

/** Returns the character set that a byte order mark of UTF-16 shows. */
function findMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'charset=utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'charset=utf-16be' : undefined
}

/** Browsers search so many bytes for the element that names the character set. */
const searchedBytes = 1024

function findMetaElement(bytes: Buffer): string {
  return /<meta\s[^>]*charset[^>]*>/i.exec(bytes.toString('latin1', 0, searchedBytes))?.[0] ?? ''
}
