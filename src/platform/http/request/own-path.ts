const mostLength = 2000

/**
 * A path with its query that stays at the origin whatever a browser makes of it; undefined for any other text, such as another
 * site's address in one of its disguises.
 */
export function ownPath(text: string, origin: string): string | undefined {
  const url = text.startsWith('/') && text.length <= mostLength && URL.parse(text, origin)
  if (!url) return undefined
  const path = url.pathname + url.search
  // The path alone may lead to another site than the whole URL did: `/.//other.example` has the path `//other.example`.
  if (url.origin !== origin || path.startsWith('//') || new URL(path, origin).origin !== origin) return undefined
  return path
}
