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

/** The same of a whole refusal; what would have been streamed is refused as a list. */
export function codeOfRefusal(body: unknown): string | undefined {
  const refusal = Array.isArray(body) ? body[0] : body
  return codeOfError((refusal as { error?: unknown } | null | undefined)?.error)
}

/** Nothing that could be a credential. */
const isWord = /^[a-zA-Z][a-zA-Z_]{0,63}$/
