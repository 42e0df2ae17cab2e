import { Readable } from 'node:stream'
import { prefix } from '#api/access/prefix.ts'
import type { Environment } from '#platform/config/load.ts'
import { StartupError } from '#platform/core/fault.ts'
import { outgoingFetch } from '#platform/core/outgoing.ts'
import { proxiesInEnvironment } from '#platform/core/proxies.ts'
import { SseReader } from '#platform/net/sse.ts'
import { bodyText } from '#platform/text/body-text.ts'
import { noAnswer, sentElsewhere, why } from './no-answer.ts'

/** No answer of the service is longer, not a whole page of a list either. */
const maxAnswerBytes = 256 * 1024 * 1024

const standardUrl = `http://127.0.0.1:8080${prefix}`

/** The kinds of keys that commands need, and the variable of the README that holds one. */
const keyKinds = {
  management: { name: 'a management key', variable: 'MANAGEMENT_KEY' },
  api: { name: 'an API key', variable: 'API_KEY' },
} as const
type KeyKind = keyof typeof keyKinds

const environmentHelp = (kind: KeyKind) => `
Environment:
  SIGNALBOX_KEY  ${keyKinds[kind].name} (default: ${keyKinds[kind].variable}, as in the README)
  SIGNALBOX_URL  the service's base URL (default: BASE_URL with that key, else
                 ${standardUrl})`

/** Help text of the commands that manage the service. */
export const clientHelp = environmentHelp('management')

/** Help text of the commands about interns. */
export const internsHelp = environmentHelp('api')

/** The service said no. */
export class ServiceRefused extends StartupError {
  readonly status: number

  constructor(status: number, message: string) {
    super(`The service refused (${status}): ${message}`)
    this.status = status
  }
}

export type ApiClient = {
  /** @throws StartupError with one sentence: what the service says, or why it cannot be asked. */
  ask: <T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => Promise<T>
  /** The bytes of an answer, as they come. */
  download: (path: string) => Promise<AsyncIterable<Uint8Array>>
  /** Sends bytes as they come. */
  upload: <T>(path: string, body: AsyncIterable<Uint8Array>) => Promise<T>
  /** The data of each event of a streamed answer, up to `[DONE]`. @throws StartupError as `ask` does, and when it breaks off. */
  stream: (path: string, body: object, signal: AbortSignal) => AsyncGenerator<string, void>
  /** All pages of a list. */
  listAll: <T>(path: string) => Promise<T[]>
}

/** Speaks to the running service that the environment names. */
export function apiClient(env: Environment, kind: KeyKind = 'management'): ApiClient {
  const access = accessIn(env, kind)
  const url = baseUrl(access.url || standardUrl)
  const key = keyOf(access.key, keyKinds[kind].name)
  const fetch = outgoingFetch(proxiesInEnvironment(env))

  function send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    return call(method, path, body && { type: 'application/json', body: JSON.stringify(body) }, signal)
  }

  async function call(method: string, path: string, sent?: Sent, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(sent && { 'content-type': sent.type }) },
      ...(sent && { body: sent.body, duplex: 'half' }),
      ...(signal && { signal }),
      // Followed, it would lose the key, or become a GET.
      redirect: 'manual',
    } as RequestInit).catch((error: Error) => {
      if (signal?.aborted) throw error
      // Of what was to be sent: a file that cannot be read.
      throw error.cause instanceof StartupError ? error.cause : noAnswer(url, error)
    })
    if (response.ok) return response
    const elsewhere = response.headers.get('location')
    if (response.status < 400 && elsewhere) throw sentElsewhere(url, new URL(elsewhere, url + path))
    const answer = await json(response).catch(() => undefined)
    const message = (answer as { error?: { message?: string } } | undefined)?.error?.message
    if (!message) throw stranger()
    throw new ServiceRefused(response.status, message)
  }

  const stranger = () => new StartupError(`What answers at ${url} is not Signalbox: set SIGNALBOX_URL to its base URL.`)

  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await send(method, path, body)
    return json(response).catch(() => {
      throw stranger()
    }) as Promise<T>
  }

  return {
    ask,
    async download(path) {
      const { body } = await send('GET', path)
      return body ?? Readable.from([])
    },
    async upload<T>(path: string, body: AsyncIterable<Uint8Array>) {
      const stream = Readable.toWeb(Readable.from(body, { objectMode: false }))
      return json(await call('PUT', path, { type: 'application/octet-stream', body: stream })) as Promise<T>
    },
    async *stream(path, body, signal) {
      const { body: bytes } = await send('POST', path, body, signal)
      if (!bytes) throw stranger()
      const reader = new SseReader()
      const broken = (how: string) => new StartupError(`The answer of ${url} broke off (${how}).`)
      try {
        for await (const piece of bytes) {
          for (const { data } of reader.push(Buffer.from(piece))) {
            if (data === '[DONE]') return
            if (data) yield data
          }
        }
      } catch (error) {
        throw signal.aborted || error instanceof StartupError ? error : broken(why(error as Error))
      }
      throw broken('it has no end')
    },
    async listAll<T>(path: string) {
      const all: T[] = []
      for (;;) {
        const joint = path.includes('?') ? '&' : '?'
        const page = await ask<{ data: T[] }>('GET', `${path}${joint}limit=100&offset=${all.length}`)
        all.push(...page.data)
        if (page.data.length < 100) return all
      }
    },
  }
}

type Sent = { type: string; body: unknown }

async function json(response: Response): Promise<unknown> {
  return JSON.parse(await bodyText(response, maxAnswerBytes))
}

type Access = { url: string | undefined; key: string | undefined }

/**
 * The address and the key to use. Without SIGNALBOX_KEY, these are the variables of the documentation's examples, when they
 * hold a key of this service: the address and the key of another program are never combined with ours.
 */
function accessIn(env: Environment, kind: KeyKind): Access {
  const own: Access = { url: env.SIGNALBOX_URL, key: env.SIGNALBOX_KEY }
  if (own.key?.trim()) return own
  const key = env[keyKinds[kind].variable]
  return key?.trim().startsWith('sb-v1-') ? { url: own.url || env.BASE_URL, key } : own
}

/** A bare origin is enough: the path of the API is always the same. */
function baseUrl(given: string): string {
  const text = given.trim()
  const url = URL.parse(text)
  if (!url) throw new StartupError(`SIGNALBOX_URL is not a URL: "${text}". Such as ${standardUrl}.`)
  if (!/^https?:$/.test(url.protocol)) {
    throw new StartupError(`SIGNALBOX_URL must begin with http:// or https://, such as ${standardUrl}, not "${text}".`)
  }
  return (url.pathname === '/' ? url.origin + prefix : text).replace(/\/+$/, '')
}

/** @throws StartupError for what no header can carry, such as the `sb-v1-…` of a document. */
function keyOf(given: string | undefined, needed: string): string {
  const key = given?.trim()
  if (!key) throw new StartupError(`Set SIGNALBOX_KEY to ${needed} of the service.`)
  const strange = /[^\x21-\x7e]/u.exec(key)
  if (!strange) return key
  throw new StartupError(
    `SIGNALBOX_KEY is no key: none has ${JSON.stringify(strange[0])} in it. Set it to ${needed}, whole and on one line.`,
  )
}
