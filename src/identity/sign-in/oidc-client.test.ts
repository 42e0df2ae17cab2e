import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PlainIssuer, startPlainIssuer } from '#test/harness/service/sign-in/plain-issuer.ts'
import { createOidcClient } from './oidc-client.ts'

const redirectUri = 'http://127.0.0.1:1/callback'

function clientOf(issuer: PlainIssuer, onError: (error: Error) => void = () => {}, fetch = globalThis.fetch) {
  const settings = { oidc_issuer: issuer.url, oidc_client_id: 'signalbox', oidc_token_auth_method: 'auto' as const }
  return createOidcClient({ ...settings, oidc_scopes: 'openid' }, { now: Date.now, fetch, onError })
}

/** Signs in at the issuer as a browser does. @returns the claims. */
async function signIn(client: ReturnType<typeof clientOf>) {
  const response = await fetch(await client.authorizationUrl('secret', redirectUri), { redirect: 'manual' })
  return client.readClaims('secret', new URL(response.headers.get('location')!))
}

test('user info without end is not read, and the ID token signs in alone', { timeout: 60_000 }, async () => {
  await using issuer = await startPlainIssuer()
  issuer.idToken = { sub: 'ada' }
  let sentBytes = 0
  issuer.userInfo = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const send = () => {
      while (response.write(Buffer.alloc(64 * 1024, 32)) && !response.destroyed) sentBytes += 64 * 1024
    }
    response.on('drain', send)
    send()
  }
  const errors: unknown[] = []
  const { idToken, isIncomplete } = await signIn(clientOf(issuer, (error) => errors.push(error.cause)))
  assert.deepEqual([idToken.sub, isIncomplete, errors.length], ['ada', true, 1])
  assert.ok(sentBytes < 16 * 1024 * 1024, `${sentBytes} bytes`)
})

test('the end of a session at the issuer is not a script', async () => {
  await using issuer = await startPlainIssuer()
  for (const [endpoint, expected] of [
    ['javascript:alert(1)//', undefined],
    ['data:text/html,x', undefined],
    [`${issuer.url}/end`, `${issuer.url}/end`],
  ] as const) {
    issuer.description = { end_session_endpoint: endpoint }
    const url = await clientOf(issuer).endSessionUrl('http://127.0.0.1:1/')
    assert.equal(url?.split('?')[0], expected)
  }
})

test('an address that is not an issuer is reported as a wrong setting', async () => {
  await using issuer = await startPlainIssuer()
  const messageOf = (url: string) =>
    clientOf({ ...issuer, url })
      .authorizationUrl('secret', redirectUri)
      .catch(({ kind, message }) => `${kind}: ${message}`)
  assert.match(
    await messageOf(`${issuer.url}/nope`),
    /^unavailable: The setting oidc_issuer is .*HTTP status 404\. Set oidc/,
  )
  for (const [endpoint, value] of [
    ['authorization_endpoint', undefined],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['token_endpoint', '/token'],
  ] as const) {
    issuer.description = { [endpoint]: value }
    assert.match(await messageOf(issuer.url), new RegExp(`^unavailable: .*without a valid "${endpoint}"`))
  }
  issuer.description = { issuer: undefined }
  assert.match(await messageOf(issuer.url), /something other than the description of an issuer/)
})

test('a refusal names the error of the issuer', async () => {
  await using issuer = await startPlainIssuer()
  issuer.idToken = { sub: 'ada' }
  const client = clientOf(issuer)
  const messageAfter = async (change: (parameters: URLSearchParams) => void) => {
    const response = await fetch(await client.authorizationUrl('secret', redirectUri), { redirect: 'manual' })
    const url = new URL(response.headers.get('location')!)
    change(url.searchParams)
    return client.readClaims('secret', url).catch((error: Error) => error.message)
  }
  const denied = await messageAfter((parameters) => {
    parameters.delete('code')
    parameters.set('error', 'access_denied')
    parameters.set('error_description', 'not assigned')
  })
  assert.equal(denied, 'The issuer refused this sign-in: access_denied (not assigned).')
  assert.equal(await messageAfter((it) => it.set('code', 'x')), 'The issuer refused this sign-in: invalid_grant.')
  issuer.idToken = { sub: 'ada', exp: 1 }
  assert.match(String(await messageAfter(() => {})), /Check the clocks/)
})

test('a token endpoint that cannot be reached makes the sign-in unavailable', async () => {
  await using issuer = await startPlainIssuer()
  issuer.idToken = { sub: 'ada' }
  const failures: Record<string, () => Promise<Response>> = {
    network: async () => Promise.reject(new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })),
    timeout: async () => Promise.reject(new DOMException('too late', 'TimeoutError')),
    status: async () => new Response('busy', { status: 503 }),
  }
  for (const [name, fail] of Object.entries(failures)) {
    const failingFetch: typeof fetch = (input, init) => (String(input).endsWith('/token') ? fail() : fetch(input, init))
    const client = clientOf(issuer, () => {}, failingFetch)
    await assert.rejects(signIn(client), { kind: 'unavailable', message: /cannot be reached now/ }, name)
  }
})
