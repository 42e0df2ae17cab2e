import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PlainIssuer, startPlainIssuer } from '#test/harness/service/sign-in/plain-issuer.ts'
import { createOidcClient } from './oidc-client.ts'

const redirectUri = 'http://127.0.0.1:1/callback'

function clientOf(issuer: PlainIssuer, onError: (error: Error) => void = () => {}) {
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
