/**
 * The errors of a protocol for a prompt that is longer than the context. `codes` are error codes, `messages` match the
 * text; their groups `limit` and `tokens` are sizes in the text.
 */
export type ContextErrors = { codes?: readonly string[]; messages: readonly RegExp[] }

/** The sizes in an error message, in tokens. */
export type ContextSizes = { limit?: number; tokens?: number }

/** The sizes in an error for a prompt that is too long; undefined for other errors. */
export function readContextError(
  { codes = [], messages }: ContextErrors,
  code: string | undefined,
  message: string | undefined,
): ContextSizes | undefined {
  const found = message === undefined ? undefined : firstMatch(messages, message)
  if (!found && !(code !== undefined && codes.includes(code))) return undefined
  const { limit, tokens } = found?.groups ?? {}
  return { ...sizeIn('limit', limit), ...sizeIn('tokens', tokens) }
}

function firstMatch(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found) return found
  }
  return undefined
}

function sizeIn(name: keyof ContextSizes, digits: string | undefined): ContextSizes {
  const size = Number(digits?.replaceAll(/[,_]/g, ''))
  return Number.isSafeInteger(size) && size > 0 ? { [name]: size } : {}
}
