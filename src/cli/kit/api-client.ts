import { Readable } from 'node:stream'
import { apiPrefix } from '#api/access/prefix.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import { createOutgoingFetch } from '#platform/net/outgoing.ts'
import { readProxies } from '#platform/net/proxies.ts'
import { SseReader } from '#platform/net/sse.ts'
import { type Environment, readVariable } from '#platform/process/environment.ts'
import { readBodyText } from '#platform/text/body-text.ts'
import { connectionError, networkReason, notSignalboxError, redirectError } from './network-errors.ts'

/** The longest response that is read. A full page of a list is shorter. */
const maxResponseBytes = 256 * 1024 * 1024

/** The longest page of a list with offsets. */
const offsetPageSize = 100

const defaultUrl = `http://127.0.0.1:8080${apiPrefix}`

/** The kinds of keys that commands need, and the variable in which the examples of the README store such a key. */
const keyKinds = {
  management: { name: 'a management key', variable: 'MANAGEMENT_KEY' },
  api: { name: 'an API key', variable: 'API_KEY' },
} as const
type KeyKind = keyof typeof keyKinds

const capitalize = (text: string) => text[0]!.toUpperCase() + text.slice(1)

const environmentHelp = (kind: KeyKind) => `
Environment:
  SIGNALBOX_KEY  ${capitalize(keyKinds[kind].name)} (default: the value of ${keyKinds[kind].variable})
  SIGNALBOX_URL  Base URL of the service (default: BASE_URL if the key is from
                 ${keyKinds[kind].variable}, otherwise ${defaultUrl})`

/** Help text of the commands that manage the service. */
export const managementKeyHelp = environmentHelp('management')

/** Help text of the commands about interns. */
export const apiKeyHelp = environmentHelp('api')

/** The service answered with an error status. */
export class ServiceError extends UserFacingError {
  readonly status: number

  constructor(status: number, message: string) {
    super(`The service refused (${status}): ${message}`)
    this.status = status
  }
}

export type ApiClient = {
  /**
   * Sends a request with JSON, and reads the JSON of the response.
   * @throws UserFacingError with the service's error message, or with the reason why the service is unreachable.
   */
  request: <T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => Promise<T>
  /** Streams the bytes of a response. */
  download: (path: string) => Promise<AsyncIterable<Uint8Array>>
  /** Streams bytes to the service. */
  upload: <T>(path: string, body: AsyncIterable<Uint8Array>) => Promise<T>
  /**
   * Yields the data of each SSE event up to `[DONE]`. Without a body, the request is a GET.
   * @throws UserFacingError as `request`, and when the stream ends early
   */
  stream: (path: string, body: object | undefined, signal: AbortSignal) => AsyncGenerator<string, void>
  /** Reads all pages of a list with offsets. */
  listAll: <T>(path: string) => Promise<T[]>
  /** Reads all pages of a list with cursors. @param pageSize undefined for the default of the list. */
  listAllByCursor: <T>(path: string, pageSize: number | undefined) => Promise<T[]>
}

/** Creates a client for the running service that the environment names. */
export function createApiClient(env: Environment, kind: KeyKind = 'management'): ApiClient {
  const access = readAccess(env, kind)
  const url = baseUrl(access.url ?? defaultUrl)
  const key = requireKey(access.key, keyKinds[kind].name)
  const fetch = createOutgoingFetch(readProxies(env))

  const sendJson = (method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> =>
    sendRequest(method, path, body && { type: 'application/json', content: JSON.stringify(body) }, signal)

  async function sendRequest(
    method: string,
    path: string,
    body?: RequestBody,
    signal?: AbortSignal,
  ): Promise<Response> {
    rejectInvalidSegments(path)
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': body.type }) },
      ...(body && { body: body.content, duplex: 'half' }),
      signal,
      // A followed redirect would lose the key, or turn a POST into a GET.
      redirect: 'manual',
    } as RequestInit).catch((error: Error) => {
      if (signal?.aborted) throw error
      // The body is a file that cannot be read.
      throw error.cause instanceof UserFacingError ? error.cause : connectionError(url, error)
    })
    // The API has no responses in HTML. A website answers every path with a page.
    if (response.headers.get('content-type')?.startsWith('text/html')) throw notSignalbox(response.status)
    if (response.ok) return response
    const location = response.headers.get('location')
    if (response.status < 400 && location) throw redirectError(url, new URL(location, url + path))
    const parsed = await parseResponse(response).catch(() => undefined)
    const message = (parsed as { error?: { message?: string } } | undefined)?.error?.message
    if (!message) throw notSignalbox(response.status)
    throw new ServiceError(response.status, message)
  }

  const notSignalbox = (status: number) => notSignalboxError(url, status)
  const endedEarly = (reason: string) => new UserFacingError(`The response from ${url} ended early (${reason}).`)

  const request = async <T>(method: string, path: string, body?: object): Promise<T> =>
    readObject<T>(await sendJson(method, path, body))

  async function readObject<T>(response: Response): Promise<T> {
    const parsed = await parseResponse(response).catch((error: Error) => {
      throw error instanceof SyntaxError ? notSignalbox(response.status) : endedEarly(networkReason(error))
    })
    if (isObject(parsed)) return parsed as T
    throw notSignalbox(response.status)
  }

  /** Reads a page of a list. */
  async function requestPage<T>(path: string): Promise<CursorPage<T>> {
    const page = await request<CursorPage<T>>('GET', path)
    if (Array.isArray(page.data)) return page
    throw notSignalbox(200)
  }

  async function listAllByCursor<T>(path: string, pageSize: number | undefined): Promise<T[]> {
    const [target, search] = path.split('?')
    const query = new URLSearchParams(search)
    if (pageSize !== undefined) query.set('limit', String(pageSize))
    const all: T[] = []
    for (;;) {
      const { data, has_more, next_cursor: next } = await requestPage<T>(`${target}?${query}`)
      all.push(...data)
      if (!has_more || !next) return all
      query.set('starting_after', next)
    }
  }

  return {
    request,
    listAllByCursor,
    async download(path) {
      return readBody(await sendJson('GET', path), (error) => endedEarly(networkReason(error)))
    },
    async upload<T>(path: string, body: AsyncIterable<Uint8Array>) {
      const stream = Readable.toWeb(Readable.from(body, { objectMode: false }))
      return readObject<T>(await sendRequest('PUT', path, { type: 'application/octet-stream', content: stream }))
    },
    async *stream(path, body, signal) {
      const { body: bytes, status } = await sendJson(body ? 'POST' : 'GET', path, body, signal)
      if (!bytes) throw notSignalbox(status)
      const reader = new SseReader()
      try {
        for await (const piece of bytes) {
          for (const { data } of reader.push(Buffer.from(piece))) {
            if (data === '[DONE]') return
            if (data) yield data
          }
        }
      } catch (error) {
        throw signal.aborted || error instanceof UserFacingError ? error : endedEarly(networkReason(error as Error))
      }
      throw endedEarly('no end mark')
    },
    async listAll<T>(path: string) {
      const all: T[] = []
      for (;;) {
        const separator = path.includes('?') ? '&' : '?'
        const page = await requestPage<T>(`${path}${separator}limit=${offsetPageSize}&offset=${all.length}`)
        all.push(...page.data)
        if (page.data.length < offsetPageSize) return all
      }
    },
  }
}

type CursorPage<T> = { data: T[]; has_more?: boolean; next_cursor?: string | null }
type RequestBody = { type: string; content: unknown }

/**
 * Reads the body of a response. References the response until then: if it is garbage-collected before its body is read, `fetch`
 * cancels the body, which then ends early without an error.
 */
async function* readBody(response: Response, toError: (error: Error) => Error): AsyncGenerator<Uint8Array, void> {
  try {
    if (response.body) yield* response.body
  } catch (error) {
    throw toError(error as Error)
  }
}

async function parseResponse(response: Response): Promise<unknown> {
  return JSON.parse(await readBodyText(response, maxResponseBytes))
}

type Access = { url: string | undefined; key: string | undefined }

/**
 * Returns the address and the key to use. Without SIGNALBOX_KEY, uses the variables of the documentation's examples if they contain a
 * key of this service. The key of this service is never sent to an address that is configured for another program.
 */
function readAccess(env: Environment, kind: KeyKind): Access {
  const explicit: Access = { url: readVariable(env, 'SIGNALBOX_URL'), key: readVariable(env, 'SIGNALBOX_KEY') }
  if (explicit.key) return explicit
  const key = readVariable(env, keyKinds[kind].variable)
  return key?.startsWith('sb-v1-') ? { url: explicit.url ?? readVariable(env, 'BASE_URL'), key } : explicit
}

/** Whether the environment has a key for commands that manage the service (`SIGNALBOX_KEY` or `MANAGEMENT_KEY`). */
export const hasManagementKey = (env: Environment): boolean => readAccess(env, 'management').key !== undefined

/**
 * Rejects names and IDs that would change the path of a request. URL parsers resolve `.` and `..`, and a path with an empty ID is the
 * path of the list. No object has such a name.
 */
function rejectInvalidSegments(path: string): void {
  const segments = path.split('?')[0]!.split('/').slice(1)
  const invalid = segments.find((name) => name === '' || name === '.' || name === '..')
  if (invalid !== undefined) throw new UserFacingError(`"${invalid}" is not a name or an ID.`)
}

/** Normalizes a base URL. A bare origin gets the path of the API. */
function baseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) throw new UserFacingError(`SIGNALBOX_URL must be a URL such as ${defaultUrl}, not "${text}".`)
  // Checked first, because the messages of the other checks print the URL.
  if (url.username || url.password) {
    throw new UserFacingError(
      `SIGNALBOX_URL must not have a user or a password: it is a base URL such as ${defaultUrl}, and the key is in SIGNALBOX_KEY.`,
    )
  }
  if (!/^https?:$/.test(url.protocol)) {
    throw new UserFacingError(
      `SIGNALBOX_URL must start with http:// or https://, such as ${defaultUrl}, not "${text}".`,
    )
  }
  if (url.search || url.hash) {
    throw new UserFacingError(
      `SIGNALBOX_URL must not have "?" or "#": it is a base URL such as ${defaultUrl}, not "${text}".`,
    )
  }
  return (url.pathname === '/' ? url.origin + apiPrefix : text).replace(/\/+$/, '')
}

/** Checks the key. @throws UserFacingError for a key that no header can contain, such as `sb-v1-…` copied from a document */
function requireKey(key: string | undefined, requiredKind: string): string {
  if (!key) throw new UserFacingError(`Set SIGNALBOX_KEY to ${requiredKind} of the service.`)
  const invalid = /[^\x21-\x7e]/u.exec(key)
  if (!invalid) return key
  throw new UserFacingError(
    `SIGNALBOX_KEY contains ${JSON.stringify(invalid[0])}, which no key has. Set it to ${requiredKind}, complete and on one line.`,
  )
}
