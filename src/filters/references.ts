import { isReadable, rewriteBase64, rewriteDataUrl } from './data-url.ts'

/** Fields whose text is one of a few words. */
const kinds = new Set('type role detail format media_type mime_type mimeType status effort'.split(' '))
/** Fields whose text is a reference or bytes: to change it would break the request. */
const references = new Set(
  'id name url image_url file_url video_url data file_data b64_json filename signature encrypted_content'.split(' '),
)

/** Like the words and names of all protocols, which say nothing about anybody. */
const plain = /^[$A-Za-z_./+-]{1,31}\d?$/
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const url = /^[a-z][a-z0-9+.-]{1,15}:\/\/\S*$/i

export function isPlain(name: string): boolean {
  return plain.test(name)
}

/**
 * A text that its field says is no text: a reference, a kind or bytes. Of those only what can be read is rewritten.
 * Undefined for any other.
 */
export function rewriteReference(
  fields: Readonly<Record<string, unknown>>,
  key: string,
  value: string,
  rewrite: (text: string) => string,
): string | undefined {
  if (kinds.has(key)) return plain.test(value) ? value : undefined
  if (!references.has(key) && !key.endsWith('_id')) return undefined
  // A document in plain text carries it where others carry bytes.
  if (key === 'data' && fields.type === 'text') return undefined
  if (/^data:/i.test(value)) return rewriteDataUrl(value, rewrite)
  if (key === 'file_data' && !base64.test(value) && !url.test(value)) return undefined
  const mediaType = key === 'data' && (fields.media_type ?? fields.mime_type ?? fields.mimeType)
  return typeof mediaType === 'string' && isReadable(mediaType) ? rewriteBase64(value, rewrite) : value
}
