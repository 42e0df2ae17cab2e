type ErrorBody = { code?: unknown; status?: unknown; type?: unknown }

/**
 * The error code of a provider: OpenAI's `code`, Google's `status` or Anthropic's `type`. Undefined if there is none.
 */
export function codeOfError(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, status, type } = error as ErrorBody
  return [code, status, type].find((word): word is string => typeof word === 'string' && isWord.test(word))
}

/** The error message of a provider; undefined if it is not a string. */
export function messageOfError(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/** The message for an error without one. */
export const noMessage = 'the upstream failed'

/** The error in the body of a refusal. A refused stream can have a list. */
function errorIn(body: unknown): unknown {
  const refusal = Array.isArray(body) ? body[0] : body
  return (refusal as { error?: unknown } | null | undefined)?.error
}

/** Longer details are omitted. */
const maxDetailsLength = 2000

/** The facts of an error that clients need beside its message. */
export type ErrorFacts = {
  code?: string | undefined
  /** Machine-readable details as Anthropic's errors have them, in JSON. */
  details?: string
  /** The time that the provider asks to wait. */
  retryAfterMs?: number
}

export function factsOfError(error: unknown): ErrorFacts {
  const { details: given } = (error ?? {}) as { details?: unknown }
  const [code, details, retryAfterMs] = [codeOfError(error), detailsIn(given), retryDelayIn(given)]
  return {
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

export const factsOfRefusal = (body: unknown) => factsOfError(errorIn(body))

function detailsIn(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return undefined
  const text = JSON.stringify(details)
  return text.length <= maxDetailsLength ? text : undefined
}

/** Google's servers write the time to wait in a list of details, and not in a header. */
function retryDelayIn(details: unknown): number | undefined {
  for (const detail of Array.isArray(details) ? details : []) {
    const { retryDelay } = (detail ?? {}) as { retryDelay?: unknown }
    const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000)
  }
  return undefined
}

/**
 * The message of a refusal. Most servers have it in `error`, FastAPI in `detail`: a text, an object or a list of problems.
 * Cloudflare has a list of `errors`.
 */
export function messageOfRefusal(body: unknown): string | undefined {
  return messageOfError(errorIn(body)) ?? textIn(body, 4)
}

const messageFields = ['error', 'detail', 'message', 'errors'] as const

/** @param depth how many levels deep it is searched. */
function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value || undefined
  if (typeof value !== 'object' || value === null || depth === 0) return undefined
  if (Array.isArray(value)) return value.flatMap((one) => problemText(one) ?? textIn(one, depth - 1) ?? []).join(' ')
  for (const field of messageFields) {
    const text = textIn((value as { [field in (typeof messageFields)[number]]?: unknown })[field], depth - 1)
    if (text) return text
  }
  return undefined
}

/** One problem with its field. */
function problemText(entry: unknown): string | undefined {
  const { msg, loc } = (entry ?? {}) as { msg?: unknown; loc?: unknown }
  if (typeof msg !== 'string') return undefined
  const field = Array.isArray(loc) ? loc.filter((step) => step !== 'body').join('.') : ''
  return field ? `${field}: ${msg}.` : msg
}

/** Matches codes that cannot be credentials. */
const isWord = /^[a-zA-Z][a-zA-Z_]{0,63}$/
