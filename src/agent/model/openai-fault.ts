import { ModelFault } from './model.ts'

/** Explains a provider's error answer in one sentence, with the provider's own message. */
export function faultOfStatus(status: number, body: string): ModelFault {
  const said = messageIn(body)
  const tooLong = ([400, 413, 422].includes(status) && longWords.test(said)) || leftOutForLength(body)
  const retryable = status === 408 || status === 429 || status >= 500
  return new ModelFault(`${meaning(status)}${said ? `: ${said}` : '.'}`, { retryable, status, tooLong })
}

const longWords = /context.?(length|window|size)|maximum context|too (long|many tokens|large)|reduce the length/i

/** Whether a router asked no endpoint because the prompt is longer than what one of them takes. */
function leftOutForLength(body: string): boolean {
  try {
    const excluded: unknown = JSON.parse(body)?.error?.metadata?.excluded
    return Array.isArray(excluded) && excluded.some((one) => one?.reason === 'context_too_small')
  } catch {
    return false
  }
}

function meaning(status: number): string {
  if (status === 401 || status === 403) return `The model service refused the key or the request (${status})`
  if (status === 402) return 'The model service wants payment (402)'
  if (status === 404) return 'The model service does not know this model or address (404)'
  if (status === 408) return 'The model service waited too long (408)'
  if (status === 429) return 'The model service is asked too often (429)'
  if (status >= 500) return `The model service failed (${status})`
  return `The model service did not accept the request (${status})`
}

/** An error that came inside the stream. */
export function faultOfChunk(error: { code?: unknown; message?: string } | string): ModelFault {
  const message = typeof error === 'string' ? error : (error.message ?? 'no reason given')
  const code = typeof error === 'string' ? undefined : Number(error.code)
  return faultOfStatus(code && code >= 400 && code < 600 ? code : 502, message)
}

/** The network failed before or within the answer. */
export function faultOfConnection(error: unknown, partly: boolean): ModelFault {
  const { cause, message } = error as Error
  const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error | undefined)?.message ?? message
  const what = partly ? 'The model’s answer broke off' : 'The model service cannot be reached'
  return new ModelFault(`${what} (${why}).`, { retryable: true })
}

/** @returns the message in the usual shapes of error bodies, or the body itself when it is short. */
function messageIn(body: string): string {
  try {
    const { error, message, detail } = JSON.parse(body)
    const found = error?.message ?? error ?? message ?? detail
    if (typeof found === 'string') return found.slice(0, 500)
  } catch {
    // Not JSON: the text itself, unless it is a page.
  }
  return body.trim().startsWith('<') ? '' : body.trim().slice(0, 500)
}
