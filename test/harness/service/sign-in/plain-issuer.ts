import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A minimal OpenID Connect issuer whose every response a test can choose. */
export type PlainIssuer = AsyncDisposable & {
  url: string
  /** Overrides members of the issuer's description; undefined removes one. */
  description: Record<string, unknown>
  /** The claims of the next ID token, in addition to those of the protocol. */
  idToken: Record<string, unknown>
  /** Answers requests to the user-info endpoint. */
  userInfo: (response: ServerResponse) => void
  /** How the last token request sent the client secret. */
  lastTokenRequest: { authorization: string | undefined; body: URLSearchParams } | undefined
  /** Signs claims with the issuer's key. */
  jwt: (claims: object) => string
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const sendJson = (response: ServerResponse, body: object, status = 200) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** @param path the path of the issuer's address, such as `/realms/staff`. */
export async function startPlainIssuer(path = ''): Promise<PlainIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }
  const flows = new Map<string, { nonce: string; challenge: string }>()
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const endpoints: Record<string, (request: IncomingMessage, response: ServerResponse) => void | Promise<void>> = {
    '/.well-known/openid-configuration': (_, response) => sendJson(response, description()),
    '/jwks': (_, response) => sendJson(response, { keys: [jwk] }),
    '/authorize': authorize,
    '/token': token,
    '/userinfo': (_, response) => issuer.userInfo(response),
  }
  const issuer: PlainIssuer = {
    url,
    description: {},
    idToken: {},
    userInfo: (response) => sendJson(response, { sub: issuer.idToken.sub }),
    lastTokenRequest: undefined,
    jwt(claims) {
      const unsigned = `${encoded({ alg: 'RS256', kid: 'key' })}.${encoded(claims)}`
      return `${unsigned}.${sign('sha256', Buffer.from(unsigned), privateKey).toString('base64url')}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  function description(): object {
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...issuer.description,
    }
  }

  function authorize({ url: request }: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request!, url)
    const code = randomUUID()
    flows.set(code, { nonce: searchParams.get('nonce')!, challenge: searchParams.get('code_challenge')! })
    const back = new URL(searchParams.get('redirect_uri')!)
    back.search = String(new URLSearchParams({ code, state: searchParams.get('state')! }))
    response.writeHead(302, { location: back.href }).end()
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = new URLSearchParams(await text(request))
    issuer.lastTokenRequest = { authorization: request.headers.authorization, body }
    const flow = flows.get(body.get('code')!)
    const challenge = createHash('sha256').update(body.get('code_verifier')!).digest('base64url')
    if (flow?.challenge !== challenge) return sendJson(response, { error: 'invalid_grant' }, 400)
    const iat = Math.floor(Date.now() / 1000)
    const standard = { iss: url, aud: 'signalbox', iat, exp: iat + 600, nonce: flow.nonce }
    const id_token = issuer.jwt({ ...standard, ...issuer.idToken })
    sendJson(response, { access_token: 'at', token_type: 'Bearer', id_token })
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, 'http://issuer')
    const endpoint = pathname.startsWith(path) ? endpoints[pathname.slice(path.length)] : undefined
    if (!endpoint) return void response.writeHead(404).end()
    await endpoint(request, response)
  }

  return issuer
}
