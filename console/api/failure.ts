type Details = {
  requestId?: string | undefined
  metadata?: Record<string, unknown> | undefined
  retryAfterMs?: number | undefined
}

/** Why the service did not do what was asked, in its words. `status` is 0 where no answer came. */
export class Failure extends Error {
  readonly status: number
  readonly requestId: string | undefined
  readonly metadata: Record<string, unknown> | undefined
  /** So long it is not to be asked again, where the service says so. */
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

/** The failure that an answer tells of. */
export async function failureOf(response: Response): Promise<Failure> {
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

/** Nobody means longer; and a timer of more than 24 days would end at once. */
const maxWaitMs = 24 * 3_600_000

/** `Retry-After` is seconds or a date. */
function retryDelayOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(ms, maxWaitMs) : undefined
}

/** Whatever was thrown, as a failure. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof TypeError) return new Failure(0, 'The service cannot be reached.')
  return new Failure(0, error instanceof Error ? error.message : String(error))
}
