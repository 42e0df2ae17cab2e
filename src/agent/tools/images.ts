/** The largest image that is sent to a model. As base64 it has 4 MiB, and providers accept at most 5 MB. */
export const maxImageBytes = 3 * 1024 * 1024

/** @returns the type of an image by its first bytes, if models take images of this type; undefined for other files. */
export function detectImageType(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  return /^RIFF.{4}WEBP/s.test(start) ? 'image/webp' : undefined
}
