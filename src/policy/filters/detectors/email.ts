import type { FindSpans, Span } from '../span.ts'

/** The longest local part, in characters (RFC 5321). */
const maxLocalPartLength = 64
const localPartPattern = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u
const domainPattern = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,62}\.)){1,8}(?:xn--[a-z0-9-]{2,59}|[\p{L}\p{M}]{2,24})/iuy

/** File extensions that occur after an @ in names of files and packages. None is a top-level domain. */
const fileExtensions = new Set(
  'png jpg jpeg gif svg webp avif ico css js mjs cjs ts tsx jsx json html php yaml yml lock txt pdf'.split(' '),
)

/** Finds email addresses: a local part, an @, and a domain with a dot and an alphabetic top-level domain. */
export const findEmails: FindSpans = (text) => {
  const spans: Span[] = []
  let previousEnd = 0
  for (let atSign = text.indexOf('@'); atSign !== -1; atSign = text.indexOf('@', atSign + 1)) {
    const span = parseAddress(text, atSign, previousEnd)
    if (!span) continue
    spans.push(span)
    previousEnd = span.end
  }
  return spans
}

/** Parses the address around an @ sign. @param minStart the first position that can belong to the address. */
function parseAddress(text: string, atSign: number, minStart: number): Span | undefined {
  domainPattern.lastIndex = atSign + 1
  const domain = domainPattern.exec(text)?.[0]
  if (!domain || fileExtensions.has(domain.slice(domain.lastIndexOf('.') + 1).toLowerCase())) return undefined
  // This can begin within a surrogate pair. The pattern does not match the remaining half, so the span never splits a character.
  const textBefore = text.slice(Math.max(minStart, atSign - maxLocalPartLength), atSign)
  // Leading punctuation belongs to the text around an address, such as a quotation mark or the `=` of an assignment.
  const localPart = localPartPattern.exec(textBefore)?.[0].replace(/^[.'`*/=|{}&?!#_-]{1,64}/, '')
  if (!localPart || localPart.endsWith('.')) return undefined
  const start = atSign - localPart.length
  const end = atSign + 1 + domain.length
  if (isGitRemote(text, localPart, end) || isUrlUser(text, start)) return undefined
  return { start, end }
}

/** Whether the match is the address of a repository, such as `git@host.example:team/project`. */
function isGitRemote(text: string, localPart: string, end: number): boolean {
  return localPart === 'git' && text[end] === ':' && /[\w/~]/.test(text[end + 1] ?? '')
}

/** How far to look back for `://` before a user name. Exceeds the longest match of the pattern, 83 characters. */
const maxUrlPrefixLength = 90

/** Whether the @ separates user and host in a URL such as `scheme://user:password@host`. */
function isUrlUser(text: string, start: number): boolean {
  return /:\/\/[^\s/@]{0,80}$/.test(text.slice(Math.max(0, start - maxUrlPrefixLength), start))
}
