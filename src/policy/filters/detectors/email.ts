import type { FindSpans, Span } from '../span.ts'

const maxLocal = 64
const local = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u
const domain = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,62}\.)){1,8}(?:xn--[a-z0-9-]{2,59}|[\p{L}\p{M}]{2,24})/iuy

/** File extensions that occur after an @ in names of files and packages. None is a top-level domain. */
const fileExtensions = new Set(
  'png jpg jpeg gif svg webp avif ico css js mjs cjs ts tsx jsx json html php yaml yml lock txt pdf'.split(' '),
)

/** Finds e-mail addresses: a local part, an @, and a domain with a dot and an alphabetic top-level domain. */
export const findEmails: FindSpans = (text) => {
  const spans: Span[] = []
  let searchedTo = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const span = parseAddressAt(text, at, searchedTo)
    if (!span) continue
    spans.push(span)
    searchedTo = span.end
  }
  return spans
}

function parseAddressAt(text: string, at: number, from: number): Span | undefined {
  domain.lastIndex = at + 1
  const right = domain.exec(text)?.[0]
  if (!right || fileExtensions.has(right.slice(right.lastIndexOf('.') + 1).toLowerCase())) return undefined
  // The slice can begin within a surrogate pair. `local` does not match the remaining half, so the span never splits a character.
  // Leading punctuation belongs to the text around an address, such as a quotation mark or the `=` of an assignment.
  const localPart = local
    .exec(text.slice(Math.max(from, at - maxLocal), at))?.[0]
    .replace(/^[.'`*/=|{}&?!#_-]{1,64}/, '')
  if (!localPart || localPart.endsWith('.')) return undefined
  const start = at - localPart.length
  const end = at + 1 + right.length
  if (isGitRemote(text, localPart, end) || isUrlUser(text, start)) return undefined
  return { start, end }
}

/** Whether the match is the address of a repository, such as `git@host.example:team/project`. */
function isGitRemote(text: string, localPart: string, end: number): boolean {
  return localPart === 'git' && text[end] === ':' && /[\w/~]/.test(text[end + 1] ?? '')
}

/** The characters before a user name that can contain `://`, and the text after that. */
const maxUrlUser = 90

/** Whether the @ separates user and host in a URL such as `scheme://user:password@host`. */
function isUrlUser(text: string, start: number): boolean {
  return /:\/\/[^\s/@]{0,80}$/.test(text.slice(Math.max(0, start - maxUrlUser), start))
}
