type Details = {
  requestId?: string | undefined
  metadata?: Record<string, unknown> | undefined
  retryAfterMs?: number | undefined
}

/** An error of the service with its message. `status` is 0 if no response arrived. */
export class Failure extends Error {
  readonly status: number
  readonly requestId: string | undefined
  readonly metadata: Record<string, unknown> | undefined
  /** The value of `Retry-After`, if present. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, { requestId, metadata, retryAfterMs }: Details = {}) {
    super(message)
    this.name = 'Failure'
    this.status = status
    this.requestId = requestId
    this.metadata = metadata
    this.retryAfterMs = retryAfterMs
  }
}

/** Reads the failure from an error response. */
export async function readFailure(response: Response): Promise<Failure> {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { message?: string; metadata?: Record<string, unknown> } }
    | undefined
  const message = body?.error?.message ?? `The service answered with the status ${response.status}.`
  return new Failure(response.status, message, {
    requestId,
    metadata: body?.error?.metadata,
    retryAfterMs: retryDelayOf(response.headers.get('retry-after')),
  })
}

/** Longer delays are cut to a day: browsers fire a timer of more than 24 days at once. */
const maxWaitMs = 24 * 3_600_000

/** `Retry-After` is seconds or a date. */
function retryDelayOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(ms, maxWaitMs) : undefined
}

/** Converts any thrown value to a failure. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  // `fetch` throws a TypeError if no response arrives.
  if (error instanceof TypeError) return new Failure(0, 'The service cannot be reached.')
  return new Failure(0, error instanceof Error ? error.message : String(error))
}
