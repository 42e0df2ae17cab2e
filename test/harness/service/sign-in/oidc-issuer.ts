import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export const client = { oidc_client_id: 'signalbox', oidc_client_secret: 'a-secret-of-the-tests' }

/** A real OpenID Connect server that signs in the person in `person` without a prompt. */
export type Issuer = AsyncDisposable & {
  url: string
  /** The next person to sign in, and their claims. */
  person: { id: string; claims: object }
  /** Sets the address of the service. */
  serve: (service: { url: string }) => void
}

export async function startIssuer(): Promise<Issuer> {
  let provider: Provider | undefined
  const people = new Map<string, object>()
  const server = createServer(async (request, response) => {
    if (!provider) return void response.writeHead(503).end()
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response)
    people.set(issuer.person.id, issuer.person.claims)
    const login = { accountId: issuer.person.id }
    await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: Issuer = {
    url,
    person: { id: 'nobody', claims: {} },
    serve(service) {
      provider = new Provider(url, configuration(`${service.url}/sessions/oidc/callback`, people))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

function configuration(redirectUri: string, people: Map<string, object>): object {
  const { oidc_client_id: client_id, oidc_client_secret: client_secret } = client
  return {
    clients: [{ client_id, client_secret, redirect_uris: [redirectUri], response_types: ['code'] }],
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) }),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ['of the tests'] },
    async loadExistingGrant({ oidc }: any) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}

/** A browser that follows redirects and keeps cookies by origin. */
export class RedirectFollower {
  readonly jar = new Map<string, Map<string, string>>()
  /** Every address of the redirects. */
  readonly visitedUrls: string[] = []
  readonly #headers: Record<string, string>

  /** @param headers sent with every request. */
  constructor(headers: Record<string, string> = {}) {
    this.#headers = headers
  }

  /** Follows redirects until a response is not a redirect, or leads to the address in `stop`. */
  async go(from: string, stop: (url: string) => boolean = () => false): Promise<Response & { at: string }> {
    let url = from
    for (let hops = 0; hops < 20; hops++) {
      this.visitedUrls.push(url)
      const { origin } = new URL(url)
      const cookies = [...(this.jar.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { ...this.#headers, ...(cookies && { cookie: cookies }) },
      })
      this.#keep(origin, response.headers.getSetCookie())
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || !location) return Object.assign(response, { at: url })
      await response.body?.cancel()
      url = new URL(location, url).href
      if (stop(url)) return Object.assign(response, { at: url })
    }
    throw new Error(`no end: ${this.visitedUrls.join(' ')}`)
  }

  #keep(origin: string, setCookies: string[]): void {
    const own = this.jar.get(origin) ?? new Map<string, string>()
    this.jar.set(origin, own)
    for (const text of setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (/Max-Age=0(;|$)|01 Jan 1970/.test(text)) own.delete(name)
      else own.set(name, value)
    }
  }
}
