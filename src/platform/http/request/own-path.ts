const maxLength = 2000

/**
 * Returns a path with its query if every browser resolves it to the same origin; undefined for any other text, such as
 * a disguised address of another site.
 */
export function parseOwnPath(text: string, origin: string): string | undefined {
  const url = text.startsWith('/') && text.length <= maxLength && URL.parse(text, origin)
  if (!url) return undefined
  const path = url.pathname + url.search
  // The path alone can lead to another site than the whole URL: `/.//other.example` has the path `//other.example`.
  if (url.origin !== origin || path.startsWith('//') || new URL(path, origin).origin !== origin) return undefined
  return path
}
