type ErrorBody = { code?: unknown; status?: unknown; type?: unknown }

/**
 * A provider's own word for what went wrong, wherever its protocol has it: OpenAI's `code`, Google's `status`,
 * Anthropic's `type`. Undefined for what is no such word.
 */
export function codeOfError(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, status, type } = error as ErrorBody
  return [code, status, type].find((word): word is string => typeof word === 'string' && isWord.test(word))
}

/** A provider's own words for what went wrong; undefined for what is no text. */
export function messageOfError(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/** What is said where a provider says nothing of its error. */
export const noMessage = 'the upstream failed'

/** The error of a whole refusal; what would have been streamed is refused as a list. */
function errorIn(body: unknown): unknown {
  const refusal = Array.isArray(body) ? body[0] : body
  return (refusal as { error?: unknown } | null | undefined)?.error
}

export const codeOfRefusal = (body: unknown) => codeOfError(errorIn(body))
export const messageOfRefusal = (body: unknown) => messageOfError(errorIn(body))

/** Nothing that could be a credential. */
const isWord = /^[a-zA-Z][a-zA-Z_]{0,63}$/
