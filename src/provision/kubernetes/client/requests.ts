import type { Agent, Dispatcher } from 'undici'
import { backoffDelay } from '#platform/async/backoff.ts'
import { retry } from '#platform/async/retry.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'

/** The address and credentials of the API server. The functions read files for each request, because the files are rotated. */
export type ApiServer = {
  url: string
  /** The trusted CA certificates as PEM; undefined for those of Node. */
  caCertificates: () => string | undefined
  token: () => string
}

/** Statuses of an API server that is overloaded, starts or stops. */
const transientStatuses = new Set([429, 500, 502, 503, 504])
/** A failed request to the API server. `status` is undefined without a response, or if its body is not JSON. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError'
  readonly status: number | undefined
  readonly reason: string
  /** Whether a retry can succeed: there was no usable response, or it has the status of an overloaded server. */
  readonly isTransient: boolean
  /** The value of `Retry-After`, which an overloaded or stopping API server sends; 0 without one. */
  readonly retryAfterMs: number

  constructor(message: string, status?: number, reason = '', retryAfterMs = 0) {
    super(message)
    this.status = status
    this.reason = reason
    this.retryAfterMs = retryAfterMs
    this.isTransient = status === undefined || transientStatuses.has(status)
  }
}

export type RetryPolicy = {
  /** The time limit of one attempt. A longer `Retry-After` is shortened to this time. */
  requestTimeoutMs: number
  maxAttempts: number
  /** The delay after the first attempt. Each further delay is twice as long. */
  initialDelayMs: number
}
export const defaultRetryPolicy: RetryPolicy = { requestTimeoutMs: 10_000, maxAttempts: 5, initialDelayMs: 200 }

type ApiRequest = {
  method: 'GET' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: object
  /** The media type of the body; defaults to JSON. */
  contentType?: string
  /** The accepted media types of the response; defaults to JSON. */
  accept?: string
}

/** The largest response body: a list of the objects of all interns. */
const maxResponseBytes = 64 * 1024 * 1024

/** JSON requests to an API server. All of them are idempotent and can be retried. */
export class KubernetesRequests {
  readonly #server: ApiServer
  readonly #policy: RetryPolicy
  #agent: { agent: Agent; caCertificates: string | undefined } | undefined

  constructor(server: ApiServer, policy: RetryPolicy) {
    this.#server = server
    this.#policy = policy
  }

  /** @throws KubernetesError. */
  async send<Result>(request: ApiRequest): Promise<Result> {
    const { maxAttempts, initialDelayMs, requestTimeoutMs } = this.#policy
    const attempt = async () => {
      try {
        const response = await this.openResponse(request, {
          headersTimeout: requestTimeoutMs,
          bodyTimeout: requestTimeoutMs,
        })
        return parseJson(await readText(response)) as Result
      } catch (error) {
        throw toKubernetesError(error)
      }
    }
    const backoff = { firstMs: initialDelayMs, maxMs: Number.POSITIVE_INFINITY }
    return retry(attempt, (failures, failure) => {
      const error = failure as KubernetesError
      if (failures >= maxAttempts || !isRetryable(error, request)) return undefined
      return Math.max(backoffDelay(backoff, failures), Math.min(error.retryAfterMs, requestTimeoutMs))
    })
  }

  /** Reads the last bytes of a text response of any length; `isCut` if there are more. @throws KubernetesError. */
  async readTail(request: ApiRequest, bytes: number): Promise<{ text: string; isCut: boolean }> {
    const { requestTimeoutMs } = this.#policy
    try {
      const { body } = await this.openResponse(request, {
        headersTimeout: requestTimeoutMs,
        bodyTimeout: requestTimeoutMs,
      })
      let tail = Buffer.alloc(0)
      let isCut = false
      for await (const chunk of body as AsyncIterable<Buffer>) {
        const received = Buffer.concat([tail, chunk])
        isCut ||= received.length > bytes
        tail = received.subarray(-bytes)
      }
      return { text: tail.toString('utf8'), isCut }
    } catch (error) {
      throw toKubernetesError(error)
    }
  }

  /** Sends a request. @returns a successful response. @throws KubernetesError, or the error of the connection. */
  async openResponse(
    { method, path, query = {}, body, contentType = 'application/json', accept = 'application/json' }: ApiRequest,
    limits: Pick<Dispatcher.RequestOptions, 'headersTimeout' | 'bodyTimeout'>,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const response = await lazyModules.undici().request(`${this.#server.url}${path}`, {
      method,
      query,
      ...limits,
      dispatcher: this.#dispatcher(),
      headers: {
        accept,
        authorization: `Bearer ${this.#server.token()}`,
        ...(body && { 'content-type': contentType }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    })
    if (response.statusCode < 300) return response
    throw toResponseError(response, await readText(response))
  }

  async close(): Promise<void> {
    await this.#agent?.agent.destroy()
    this.#agent = undefined
  }

  #dispatcher(): Agent {
    const caCertificates = this.#server.caCertificates()
    if (this.#agent && this.#agent.caCertificates === caCertificates) return this.#agent.agent
    // Requests on the old connections can finish.
    void this.#agent?.agent.close()
    const connect = { timeout: this.#policy.requestTimeoutMs, ca: caCertificates }
    const agent = new (lazyModules.undici().Agent)({ connect, allowH2: false })
    this.#agent = { agent, caCertificates }
    return agent
  }
}

function isRetryable({ isTransient, status }: KubernetesError, { method }: ApiRequest): boolean {
  // 409: another writer changed the object at the same time.
  return isTransient || (status === 409 && method === 'PATCH')
}

function toKubernetesError(error: unknown): KubernetesError {
  if (error instanceof KubernetesError) return error
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return new KubernetesError(
    `The Kubernetes API server does not respond: ${withFullStop(message || (code ?? 'without a reason'))}`,
  )
}

/** Creates the error of a failed request. The body is an object of kind `Status`, or anything else from a proxy. */
function toResponseError({ statusCode, headers }: Dispatcher.ResponseData, body: string): KubernetesError {
  const { message, reason } = parseJsonOr(body, {}) as Record<string, unknown>
  const explanation = withFullStop(typeof message === 'string' ? message : `status ${statusCode}`)
  const retryAfterMs = 1000 * (Number(headers['retry-after']) || 0)
  const advice = statusCode === 401 ? ' The token in the file of the setting `kubernetes_token_file` is not valid.' : ''
  const text = `The Kubernetes API server refuses: ${explanation}${advice}`
  return new KubernetesError(text, statusCode, String(reason ?? ''), retryAfterMs)
}

/** Adds a full stop, which most messages of the API server lack, because other sentences can follow. */
const withFullStop = (text: string) => (text.endsWith('.') ? text : `${text}.`)

function parseJson(text: string): unknown {
  const value = parseJsonOr(text, undefined)
  if (value === undefined) throw new KubernetesError('The response of the Kubernetes API server is not JSON.')
  return value
}

/** @throws KubernetesError with the status for a body that is too long: a retry would get the same. */
async function readText({ statusCode, body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxResponseBytes)
      throw new KubernetesError('The response of the Kubernetes API server is too long.', statusCode)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
