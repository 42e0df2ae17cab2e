/**
 * The message of an error page: `<message>` of XML, the title of HTML, or the words of HTML without a title. Other text stays
 * as it is.
 */
export function readPageText(text: string): string {
  if (/^\s*<\?xml/i.test(text)) return /<message>([^<]{1,2000})/i.exec(text)?.[1]?.trim() || text
  if (!/^\s*<(?:!doctype|html|head|body)/i.test(text)) return text
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text.slice(0, maxTitleSearchLength))?.[1]?.trim()
  return (
    title ||
    text
      .slice(0, maxPageLength)
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim() ||
    text
  )
}

/** The start of a page in which its title is searched. The patterns take quadratic time for a page of unclosed tags. */
const maxTitleSearchLength = 16 * 1024
/** The longest part of a page whose tags are removed. */
const maxPageLength = 4000
