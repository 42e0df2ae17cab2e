import { isThoughtPlace, type ThoughtMark } from './thoughts.ts'

const prefix = 'sealed.'

/**
 * Encodes the metadata of any provider's reasoning in the `encrypted_content` of a reasoning item, which clients store and
 * send back unread. Encrypted content of the responses protocol itself is not changed.
 */
export function seal(mark: ThoughtMark): string | undefined {
  if (mark.format === 'openai-responses-v1' && mark.via === undefined) return mark.encrypted
  return sealWhole(mark)
}

/** The same, with the id of the item, for a protocol that has no other place for it. */
export function sealWhole(mark: ThoughtMark): string | undefined {
  const { format, signature, encrypted, id, via, isSummary, field, by } = mark
  const isUnsigned = signature === undefined && encrypted === undefined && via === undefined
  if (isUnsigned && (field === undefined || by === undefined)) return undefined
  const sealed = isUnsigned ? { field, by } : { format, signature, encrypted, id, via, isSummary }
  return prefix + Buffer.from(JSON.stringify(sealed)).toString('base64url')
}

export function isOurSeal(sealed: string): boolean {
  return sealed.startsWith(prefix)
}

/** Decodes such a text; undefined for other text. @param id the id of the item. */
export function unseal(sealed: string, id: string | undefined): ThoughtMark | undefined {
  if (!isOurSeal(sealed)) return { format: 'openai-responses-v1', encrypted: sealed, ...(id !== undefined && { id }) }
  try {
    const mark: unknown = JSON.parse(Buffer.from(sealed.slice(prefix.length), 'base64url').toString('utf8'))
    return typeof mark === 'object' && mark !== null ? sealableMark(mark) : undefined
  } catch {
    return undefined
  }
}

const formats: ReadonlySet<unknown> = new Set(['anthropic-claude-v1', 'google-gemini-v1', 'openai-responses-v1'])

/** Keeps only members that `seal` writes, because clients can forge the text. */
function sealableMark(mark: ThoughtMark): ThoughtMark | undefined {
  const { field, by, via } = mark
  if (isThoughtPlace(field)) return typeof by === 'string' ? { field, by } : undefined
  if (via !== 'chat' && !formats.has(mark.format)) return undefined
  const texts = (['format', 'signature', 'encrypted', 'id'] as const).filter((name) => typeof mark[name] === 'string')
  return {
    ...Object.fromEntries(texts.map((name) => [name, mark[name]])),
    ...(via === 'chat' && { via }),
    ...(mark.isSummary === true && { isSummary: true as const }),
  }
}
