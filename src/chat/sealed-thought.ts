import type { ThoughtFormat, ThoughtMark } from './thoughts.ts'

const prefix = 'sealed.'

/**
 * The mark of any provider's thought as the `encrypted_content` of a reasoning item, which clients keep and send back
 * without looking into it. What the responses protocol sealed itself stays as it is.
 */
export function seal({ format, signature, encrypted, id }: ThoughtMark): string | undefined {
  if (signature === undefined && encrypted === undefined) return undefined
  if (format === 'openai-responses-v1') return encrypted
  return prefix + Buffer.from(JSON.stringify({ format, signature, encrypted, id })).toString('base64url')
}

export function isOurSeal(sealed: string): boolean {
  return sealed.startsWith(prefix)
}

const formats: ReadonlySet<string> = new Set<ThoughtFormat>(['anthropic-claude-v1', 'google-gemini-v1'])

/** Undefined for what is no seal at all. @param id what the item is called. */
export function unseal(sealed: string, id: string | undefined): ThoughtMark | undefined {
  if (!isOurSeal(sealed)) return { format: 'openai-responses-v1', encrypted: sealed, ...(id !== undefined && { id }) }
  try {
    const mark = JSON.parse(Buffer.from(sealed.slice(prefix.length), 'base64url').toString('utf8')) as ThoughtMark
    return formats.has(mark?.format ?? '') ? ours(mark) : undefined
  } catch {
    return undefined
  }
}

/** Clients could write one themselves: nothing but what `seal` puts in comes out. */
function ours({ format, ...rest }: ThoughtMark): ThoughtMark {
  const texts = (['signature', 'encrypted', 'id'] as const).filter((name) => typeof rest[name] === 'string')
  return { format, ...Object.fromEntries(texts.map((name) => [name, rest[name]])) }
}
