import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent, Dispatcher } from 'undici'
import { lazyModules } from '#platform/process/lazy-modules.ts'

/** Where the API server is, and how it knows us. What is read from files is read again for each request: it is rotated. */
export type ApiServer = {
  url: string
  /** Who vouches for it, as PEM; undefined for whom Node trusts. */
  authorities: () => string | undefined
  token: () => string
}

/** What the API server may take back in a moment: it is overloaded, starts or stops. */
const passing = new Set([429, 500, 502, 503, 504])
/** What the API server said no to; `status` is undefined where it could not be asked. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError'
  readonly status: number | undefined
  readonly reason: string
  /** Whether the API server was away, or had too much to do, and may answer in a while. */
  readonly isPassing: boolean

  constructor(message: string, status?: number, reason = '') {
    super(message)
    this.status = status
    this.reason = reason
    this.isPassing = status === undefined || passing.has(status)
  }
}

export type Patience = {
  /** How long one answer may take. */
  requestMs: number
  /** How often, and after how long at first, what may succeed the next time is tried again. */
  tries: number
  pauseMs: number
}
export const usualPatience: Patience = { requestMs: 10_000, tries: 5, pauseMs: 200 }

export type Asked = {
  method: 'GET' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: object
  /** The media type of a body that is no plain JSON. */
  type?: string
  /** The media types of the answer, where it is not JSON. */
  accept?: string
}

/** Answers are objects of ours, or pages of them. */
const maxAnswerBytes = 64 * 1024 * 1024

/** Requests to an API server, as JSON. All that is asked may be asked twice. */
export class KubernetesRequests {
  readonly #server: ApiServer
  readonly #patience: Patience
  #agent: { agent: Agent; authorities: string | undefined } | undefined

  constructor(server: ApiServer, patience: Patience) {
    this.#server = server
    this.#patience = patience
  }

  /** @throws KubernetesError. */
  async ask<Answer>(asked: Asked): Promise<Answer> {
    const { tries, pauseMs, requestMs } = this.#patience
    for (let tried = 1; ; tried++) {
      try {
        const response = await this.open(asked, { headersTimeout: requestMs, bodyTimeout: requestMs })
        return parsed(await textOf(response)) as Answer
      } catch (error) {
        const failed = asKubernetesError(error)
        if (tried >= tries || !isTransientFailure(failed, asked)) throw failed
        await sleep(pauseMs * 2 ** (tried - 1))
      }
    }
  }

  /** The last bytes of an answer that is a text, however long that is. @throws KubernetesError. */
  async endOfText(asked: Asked, bytes: number): Promise<{ text: string; isCut: boolean }> {
    const { requestMs } = this.#patience
    try {
      const { body } = await this.open(asked, { headersTimeout: requestMs, bodyTimeout: requestMs })
      let kept = Buffer.alloc(0)
      let isCut = false
      for await (const chunk of body as AsyncIterable<Buffer>) {
        const all = Buffer.concat([kept, chunk])
        isCut ||= all.length > bytes
        kept = all.subarray(-bytes)
      }
      return { text: kept.toString('utf8'), isCut }
    } catch (error) {
      throw asKubernetesError(error)
    }
  }

  /** An answer that has begun with success. @throws KubernetesError, or what broke the connection. */
  async open(
    { method, path, query = {}, body, type = 'application/json', accept = 'application/json' }: Asked,
    limits: Pick<Dispatcher.RequestOptions, 'headersTimeout' | 'bodyTimeout'>,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const response = await lazyModules.undici().request(`${this.#server.url}${path}`, {
      ...{ method, query, ...limits, dispatcher: this.#dispatcher() },
      headers: {
        accept,
        authorization: `Bearer ${this.#server.token()}`,
        ...(body && { 'content-type': type }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (response.statusCode < 300) return response
    throw refusalOf(response.statusCode, await textOf(response))
  }

  async close(): Promise<void> {
    await this.#agent?.agent.destroy()
    this.#agent = undefined
  }

  #dispatcher(): Agent {
    const authorities = this.#server.authorities()
    if (this.#agent && this.#agent.authorities === authorities) return this.#agent.agent
    // What goes on over the old connections may end.
    void this.#agent?.agent.close()
    const connect = { timeout: this.#patience.requestMs, ...(authorities !== undefined && { ca: authorities }) }
    const agent = new (lazyModules.undici().Agent)({ connect, allowH2: false })
    this.#agent = { agent, authorities }
    return agent
  }
}

function isTransientFailure({ isPassing, status }: KubernetesError, { method }: Asked): boolean {
  // Two changed it at once.
  return isPassing || (status === 409 && method === 'PATCH')
}

function asKubernetesError(error: unknown): KubernetesError {
  if (error instanceof KubernetesError) return error
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return new KubernetesError(`The Kubernetes API server cannot be asked: ${message || code}`)
}

/** The API server says why in an object of the kind `Status`; who stands before it says it as it likes. */
export function refusalOf(status: number, said: string | object): KubernetesError {
  const { message, reason } = (typeof said === 'string' ? parsedOr(said, {}) : said) as Record<string, unknown>
  const why = typeof message === 'string' ? message : `status ${status}`
  return new KubernetesError(`The Kubernetes API server refuses: ${why}`, status, String(reason ?? ''))
}

function parsed(text: string): unknown {
  const found = parsedOr(text, undefined)
  if (found === undefined) throw new KubernetesError('The Kubernetes API server answers with what is no JSON.')
  return found
}

function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new KubernetesError('The Kubernetes API server answers with too much.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
