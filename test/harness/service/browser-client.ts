import type { Reply, TestService } from './service.ts'

type Proof = { key: string } | { link: string }
type Ask = { body?: unknown; headers?: Record<string, string> }

/** A browser with the service's own page open: it sends its cookie, and with changes its origin and token. */
export type Browser = {
  session: any
  /** The cookie as the browser sends it: name and value. */
  cookie: string
  /** The whole `Set-Cookie`. */
  setCookie: string
  ask: (method: string, path: string, options?: Ask) => Promise<Reply>
}

export const originOf = ({ url }: Pick<TestService, 'url'>) => new URL(url).origin

export async function signIn(service: TestService, proof: Proof, headers: Record<string, string> = {}): Promise<Reply> {
  return service.ask('POST', '/sessions', {
    key: null,
    body: proof,
    headers: { origin: originOf(service), ...headers },
  })
}

/** @throws Error when the service refuses the sign-in. */
export async function openBrowser(service: TestService, proof: Proof): Promise<Browser> {
  const reply = await signIn(service, proof)
  if (reply.status !== 201) throw new Error(`not signed in: ${reply.status} ${reply.text}`)
  return browserWith(service, reply)
}

/** Creates the browser from any answer that signed it in. */
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
