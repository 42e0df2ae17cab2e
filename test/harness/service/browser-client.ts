import type { Reply, TestService } from './service.ts'

type Credential = { key: string } | { link: string }
type Ask = { body?: unknown; headers?: Record<string, string> }

/** A browser with the service's own page open: every request has its cookie, its origin and its CSRF token. */
export type Browser = {
  session: any
  /** The cookie as the browser sends it: name and value. */
  cookie: string
  /** The whole `Set-Cookie`. */
  setCookie: string
  ask: (method: string, path: string, options?: Ask) => Promise<Reply>
}

export const originOf = ({ url }: Pick<TestService, 'url'>) => new URL(url).origin

export async function signIn(
  service: TestService,
  credential: Credential,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return service.ask('POST', '/sessions', {
    key: null,
    body: credential,
    headers: { origin: originOf(service), ...headers },
  })
}

/** @throws Error when the service refuses the sign-in. */
export async function openBrowser(service: TestService, credential: Credential): Promise<Browser> {
  const reply = await signIn(service, credential)
  if (reply.status !== 201) throw new Error(`not signed in: ${reply.status} ${reply.text}`)
  return browserWith(service, reply)
}

/** Creates the browser from any response that signed it in. */
export function browserWith(service: TestService, { headers, body }: Pick<Reply, 'headers' | 'body'>): Browser {
  const setCookie = headers.get('set-cookie')!
  const cookie = setCookie.split(';')[0]!
  const own = { cookie, origin: originOf(service), 'x-csrf-token': body?.data.csrf_token ?? '' }
  return {
    session: body?.data,
    cookie,
    setCookie,
    ask: (method, path, options = {}) =>
      service.ask(method, path, {
        key: null,
        ...(options.body !== undefined && { body: options.body }),
        headers: { ...own, ...options.headers },
      }),
  }
}
