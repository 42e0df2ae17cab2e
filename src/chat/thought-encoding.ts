import { isThoughtField, signaturePath, type ThoughtMetadata, thoughtFormats } from './thoughts.ts'

const prefix = 'sealed.'

/**
 * Encodes the metadata of any provider's reasoning in the `encrypted_content` of a reasoning item, which clients store and
 * send back unchanged. Encrypted content of the responses protocol itself is returned as it is.
 */
export function encodeThought(metadata: ThoughtMetadata): string | undefined {
  if (metadata.format === 'openai-responses-v1' && metadata.via === undefined) return metadata.encrypted
  return encodeThoughtWithId(metadata)
}

/** Like `encodeThought`, but always includes the id, for protocols without a field for it. */
export function encodeThoughtWithId(metadata: ThoughtMetadata): string | undefined {
  const { format, signature, encrypted, id, via, isSummary, field, by, path } = metadata
  const isUnsigned = signature === undefined && encrypted === undefined && via === undefined
  if (isUnsigned && (field === undefined || by === undefined)) return undefined
  const encoded = isUnsigned ? { field, by } : { format, signature, encrypted, id, via, isSummary, path }
  return prefix + Buffer.from(JSON.stringify(encoded)).toString('base64url')
}

export function isEncodedThought(encoded: string): boolean {
  return encoded.startsWith(prefix)
}

/** Decodes the text of `encodeThought`; undefined if it is invalid. @param id the id of the reasoning item. */
export function decodeThought(encoded: string, id: string | undefined): ThoughtMetadata | undefined {
  if (!isEncodedThought(encoded))
    return { format: 'openai-responses-v1', encrypted: encoded, ...(id !== undefined && { id }) }
  try {
    const metadata: unknown = JSON.parse(Buffer.from(encoded.slice(prefix.length), 'base64url').toString('utf8'))
    return typeof metadata === 'object' && metadata !== null ? validMetadata(metadata) : undefined
  } catch {
    return undefined
  }
}

/** Copies only the fields that `encodeThought` writes, because clients can forge the text. */
function validMetadata(metadata: ThoughtMetadata): ThoughtMetadata | undefined {
  const { field, by, via, path } = metadata
  if (isThoughtField(field)) return typeof by === 'string' ? { field, by } : undefined
  if (via !== 'chat' && !thoughtFormats.some((format) => format === metadata.format)) return undefined
  const texts = (['format', 'signature', 'encrypted', 'id'] as const).filter(
    (name) => typeof metadata[name] === 'string',
  )
  return {
    ...Object.fromEntries(texts.map((name) => [name, metadata[name]])),
    ...(via === 'chat' && { via }),
    ...(metadata.isSummary === true && { isSummary: true as const }),
    ...(typeof path === 'string' && signaturePath.test(path) && { path }),
  }
}
