import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>
type Signing = { header?: Partial<JWTHeaderParameters>; pair?: KeyPair }

/** A server with the description and keys of an issuer, that signs tokens with any claims. */
export type TokenIssuer = AsyncDisposable & {
  url: string
  /** Paths that were requested. */
  requests: string[]
  pair: KeyPair
  kid: string
  sign: (claims: JWTPayload, signing?: Signing) => Promise<string>
  /** Replaces the key of the issuer. */
  rotate: () => Promise<void>
  /** Answers with 503 while false. */
  isUp: boolean
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const newPair = () => generateKeyPair('ES256', { extractable: true })
  const server = createServer(async ({ url = '' }, response) => {
    issuer.requests.push(url)
    if (!issuer.isUp) return void response.writeHead(503).end()
    const jwk = { ...(await exportJWK(issuer.pair.publicKey)), kid: issuer.kid, alg: 'ES256', use: 'sig' }
    const description = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url === '/keys' ? { keys: [jwk] } : description))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer: TokenIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    pair: await newPair(),
    kid: 'first',
    isUp: true,
    sign(claims, { header = {}, pair = issuer.pair } = {}) {
      const all = { iss: issuer.url, aud: 'signalbox', exp: Math.floor(Date.now() / 1000) + 600, ...claims }
      return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: issuer.kid, ...header }).sign(pair.privateKey)
    },
    async rotate() {
      issuer.pair = await newPair()
      issuer.kid = `rotated-${issuer.requests.length}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}
