import type { ProviderError } from '#spend/ledger/generation.ts'

const maxMessageBytes = 2000

/** Matches credentials that the provider shortened itself, such as `sk-proj-****abcd`. */
const starredPattern = /[\w-]*\*{4,}[\w-]*/g

/**
 * The provider's error for the ledger, with a message of at most 2 kB that Postgres can read as JSON.
 * @param message without the credential of the request.
 */
export function toProviderError(
  status: number | undefined,
  code: string | undefined,
  message: string,
): ProviderError | undefined {
  const masked = message.replaceAll('\0', '').replace(starredPattern, '[secret]')
  // `stream` drops a character whose end was cut.
  const shortened = new TextDecoder().decode(Buffer.from(masked).subarray(0, maxMessageBytes), { stream: true })
  if (status === undefined && code === undefined && shortened === '') return undefined
  return { status, code, message: shortened || undefined }
}
