import type { Agent, Dispatcher } from 'undici'
import { backoffDelay } from '#platform/async/backoff.ts'
import { retry } from '#platform/async/retry.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'

/** The address and credentials of the API server. Files are read for each request, because they are rotated. */
export type ApiServer = {
  url: string
  /** The trusted CA certificates as PEM; undefined for those of Node. */
  caCertificates: () => string | undefined
  token: () => string
}

/** Statuses of an API server that is overloaded, starts or stops. */
const transientStatuses = new Set([429, 500, 502, 503, 504])
/** A request that the API server refused; `status` is undefined if it did not answer. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError'
  readonly status: number | undefined
  readonly reason: string
  /** Whether the API server was unreachable or overloaded, so that a retry can succeed. */
  readonly isTransient: boolean
  /** The pause that an overloaded or stopping API server asks for. */
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
  /** The time limit of one answer. */
  requestMs: number
  /** The maximum number of attempts, and the pause after the first attempt. Each further pause is twice as long. */
  attempts: number
  pauseMs: number
}
export const defaultRetryPolicy: RetryPolicy = { requestMs: 10_000, attempts: 5, pauseMs: 200 }

type ApiRequest = {
  method: 'GET' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: object
  /** The media type of a body that is not plain JSON. */
  type?: string
  /** The media types of the answer; defaults to JSON. */
  accept?: string
}

/** The largest answer: a list of the objects of all interns. */
const maxAnswerBytes = 64 * 1024 * 1024

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
  async send<Answer>(request: ApiRequest): Promise<Answer> {
    const { attempts, pauseMs, requestMs } = this.#policy
    const attempt = async () => {
      try {
        const response = await this.open(request, { headersTimeout: requestMs, bodyTimeout: requestMs })
        return parseJson(await readText(response)) as Answer
      } catch (error) {
        throw toKubernetesError(error)
      }
    }
    const backoff = { firstMs: pauseMs, maxMs: Number.POSITIVE_INFINITY }
    return retry(attempt, (failures, failure) => {
      const error = failure as KubernetesError
      if (failures >= attempts || !isRetryable(error, request)) return undefined
      return Math.max(backoffDelay(backoff, failures), Math.min(error.retryAfterMs, requestMs))
    })
  }

  /** The last bytes of an answer that is a text, however long that is. @throws KubernetesError. */
  async readTail(request: ApiRequest, bytes: number): Promise<{ text: string; isCut: boolean }> {
    const { requestMs } = this.#policy
    try {
      const { body } = await this.open(request, { headersTimeout: requestMs, bodyTimeout: requestMs })
      let end = Buffer.alloc(0)
      let isCut = false
      for await (const chunk of body as AsyncIterable<Buffer>) {
        const received = Buffer.concat([end, chunk])
        isCut ||= received.length > bytes
        end = received.subarray(-bytes)
      }
      return { text: end.toString('utf8'), isCut }
    } catch (error) {
      throw toKubernetesError(error)
    }
  }

  /** An answer with a status of success. @throws KubernetesError, or the error of the connection. */
  async open(
    { method, path, query = {}, body, type = 'application/json', accept = 'application/json' }: ApiRequest,
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
        ...(body && { 'content-type': type }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    })
    if (response.statusCode < 300) return response
    throw createRefusal(response, await readText(response))
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
    const connect = { timeout: this.#policy.requestMs, ca: caCertificates }
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
  return new KubernetesError(`The Kubernetes API server does not answer: ${toSentenceEnd(message || code)}`)
}

/** Reads the reason from an object of kind `Status`. A proxy before the API server can answer anything. */
function createRefusal({ statusCode, headers }: Dispatcher.ResponseData, answer: string): KubernetesError {
  const { message, reason } = parseJsonOr(answer, {}) as Record<string, unknown>
  const explanation = toSentenceEnd(typeof message === 'string' ? message : `status ${statusCode}`)
  const retryAfterMs = 1000 * (Number(headers['retry-after']) || 0)
  const advice = statusCode === 401 ? ' The token in the file of the setting `kubernetes_token_file` is not valid.' : ''
  const text = `The Kubernetes API server refuses: ${explanation}${advice}`
  return new KubernetesError(text, statusCode, String(reason ?? ''), retryAfterMs)
}

/** Other sentences can follow the messages of the API server, which mostly have no full stop. */
const toSentenceEnd = (text = 'without a reason') => (text.endsWith('.') ? text : `${text}.`)

function parseJson(text: string): unknown {
  const value = parseJsonOr(text, undefined)
  if (value === undefined) throw new KubernetesError('The answer of the Kubernetes API server is not JSON.')
  return value
}

async function readText({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new KubernetesError('The answer of the Kubernetes API server is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
