/** Elements whose content is skipped, with the start of their end tags. */
const skippedElements = new Map(
  ['script', 'style', 'noscript', 'template', 'svg', 'head'].map((name) => [name, new RegExp(`</${name}`, 'gi')]),
)
/** Elements that start a new line. */
const blockElements = new Set(
  'address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p section table td th tr ul'.split(
    ' ',
  ),
)
const namedCharacters: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
}

/** Returns the text of a page with its headings, lists and link targets. The time is linear in the page's length. */
export function htmlToText(html: string): string {
  const sections: string[] = []
  let parts: string[] = []
  let isPreformatted = false
  const endSection = () => {
    const text = parts.join('')
    sections.push(isPreformatted ? text : collapseSpaces(text))
    parts = []
  }
  let link: string | undefined
  let at = 0
  while (at < html.length) {
    const tagStart = html.indexOf('<', at)
    parts.push(decodeEntities(html.slice(at, tagStart === -1 ? html.length : tagStart)))
    if (tagStart === -1) break
    if (!/[a-z/!?]/i.test(html[tagStart + 1] ?? '')) {
      parts.push('<')
      at = tagStart + 1
      continue
    }
    const isComment = html.startsWith('<!--', tagStart)
    const tagEnd = isComment ? html.indexOf('-->', tagStart) : html.indexOf('>', tagStart)
    if (tagEnd === -1) break
    at = tagEnd + (isComment ? 3 : 1)
    if (isComment) continue
    const tag = html.slice(tagStart + 1, tagEnd)
    const [, slash = '', name = ''] = /^(\/?)([a-z][a-z0-9]*)/i.exec(tag) ?? []
    const isEndTag = slash !== ''
    const element = name.toLowerCase()
    const contentEndTag = skippedElements.get(element)
    if (!isEndTag && contentEndTag && !tag.endsWith('/')) {
      const contentEnd = searchFrom(html, contentEndTag, at)
      if (contentEnd === -1) break
      at = contentEnd
    } else if (element === 'a') {
      if (isEndTag && link) parts.push(` (${link})`)
      link = isEndTag ? undefined : readHref(tag)
    } else if (/^h[1-6]$/.test(element) && !isEndTag) parts.push(`\n\n${'#'.repeat(Number(element[1]))} `)
    else if (element === 'li' && !isEndTag) parts.push('\n- ')
    else if (element === 'pre') {
      parts.push(isEndTag ? '' : '\n')
      endSection()
      isPreformatted = !isEndTag
      parts.push(isEndTag ? '\n' : '')
    } else if (blockElements.has(element)) parts.push('\n')
  }
  endSection()
  return sections.join('').trim()
}

const collapseSpaces = (text: string) =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')

/** Returns the offset of the first match of a global pattern from `start` on; -1 without one. */
function searchFrom(text: string, pattern: RegExp, start: number): number {
  pattern.lastIndex = start
  return pattern.exec(text)?.index ?? -1
}

/** A tag can be megabytes long. Only its start is searched for a link. */
const maxSearchedLength = 4_000

function readHref(tag: string): string | undefined {
  const [, quoted, single] = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag.slice(0, maxSearchedLength)) ?? []
  const href = decodeEntities(quoted ?? single ?? '')
  return /^(?:https?:\/\/|\/)/.test(href) ? href : undefined
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return namedCharacters[name.toLowerCase()] ?? whole
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
