/** Types that a model reads as text; without one a data URL holds plain text. */
const readable =
  /^(?:$|;|text\/|image\/svg\+xml|[^;]*[/+](?:x-)?(?:json|ndjson|jsonl|xml|yaml|toml|csv|sql|sh|javascript|typescript|markdown)(?:;|$))/i
const head = /^data:([^,]*),/i
const base64Mark = /;\s*base64\s*$/i

export function isReadable(mediaType: string): boolean {
  return readable.test(mediaType)
}

/** Rewrites the text that a data URL holds, in the form that it has there. What holds no text stays. */
export function rewriteDataUrl(url: string, rewrite: (text: string) => string): string {
  const [prefix, mediaType] = head.exec(url) ?? []
  if (prefix === undefined || mediaType === undefined || !isReadable(mediaType)) return url
  const data = url.slice(prefix.length)
  if (base64Mark.test(mediaType)) return prefix + rewriteBase64(data, rewrite)
  const text = unescaped(data)
  const rewritten = rewrite(text)
  return rewritten === text ? url : prefix + encodeURIComponent(rewritten)
}

/** The same for what is base64 alone. */
export function rewriteBase64(data: string, rewrite: (text: string) => string): string {
  const text = Buffer.from(data, 'base64').toString('utf8')
  const rewritten = text === '' ? text : rewrite(text)
  return rewritten === text ? data : Buffer.from(rewritten, 'utf8').toString('base64')
}

/** Escapes that are none stand for themselves. */
function unescaped(data: string): string {
  return data.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'))
}
