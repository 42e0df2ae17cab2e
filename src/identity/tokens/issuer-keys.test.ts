import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startTokenIssuer, type TokenIssuer } from '#test/harness/service/sign-in/token-issuer.ts'
import { createTokenVerifier } from './token-verifier.ts'

const verifierFor = ({ url }: TokenIssuer, rereadMs: number) =>
  createTokenVerifier(
    { jwt_issuer: url, jwt_audience: 'signalbox' },
    { now: Date.now, fetch, onError: () => {}, rereadMs },
  )

test('a new key of the issuer is loaded on demand, and a removed one is refused', async () => {
  await using issuer = await startTokenIssuer()
  const verifier = verifierFor(issuer, 0)
  const before = await issuer.sign({ sub: 'ada' })
  assert.equal((await verifier.verify(before)).claims.sub, 'ada')
  await issuer.rotate()
  assert.equal((await verifier.verify(await issuer.sign({ sub: 'ada' }))).claims.sub, 'ada')
  await assert.rejects(verifier.verify(before), /does not match a key of the issuer/)
})

test('tokens with unknown key IDs cause one request to the issuer, not one each', async () => {
  await using issuer = await startTokenIssuer()
  const verifier = verifierFor(issuer, 30_000)
  await verifier.verify(await issuer.sign({ sub: 'ada' }))
  const count = issuer.requests.length
  for (let n = 0; n < 20; n++) {
    await assert.rejects(verifier.verify(await issuer.sign({}, { header: { kid: `other-${n}` } })), /Invalid token/)
  }
  assert.ok(issuer.requests.length - count <= 1, String(issuer.requests.length - count))
})

test('a new key of the issuer is loaded also after the system time was set back', async (t) => {
  await using issuer = await startTokenIssuer()
  const verifier = verifierFor(issuer, 30_000)
  const start = Date.now()
  const claims = { sub: 'ada', exp: start / 1000 + 600 }
  await verifier.verify(await issuer.sign(claims))
  await issuer.rotate()
  t.mock.timers.enable({ apis: ['Date'], now: start - 3_600_000 })
  assert.equal((await verifier.verify(await issuer.sign(claims))).claims.sub, 'ada')
})

/** An issuer whose description and keys never end, unless one of them is given. */
async function startEndlessIssuer(description?: (url: string) => object) {
  let sentBytes = 0
  const server = createServer((request, response) => {
    if (description && request.url?.includes('well-known')) return response.end(JSON.stringify(description(url)))
    const send = () => {
      while (response.write(Buffer.alloc(64 * 1024, 32)) && !response.destroyed) sentBytes += 64 * 1024
    }
    response.on('drain', send)
    send()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const dispose = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, sentBytes: () => sentBytes, [Symbol.asyncDispose]: dispose }
}

for (const [what, description] of [
  ['a description', undefined],
  ['keys', (url: string) => ({ issuer: url, jwks_uri: `${url}/keys` })],
] as const) {
  test(`${what} without end are not read`, { timeout: 60_000 }, async () => {
    await using issuer = await startEndlessIssuer(description)
    await using honest = await startTokenIssuer()
    const errors: string[] = []
    const onError = ({ message }: Error) => errors.push(message)
    const settings = { jwt_issuer: issuer.url, jwt_audience: 'signalbox' }
    const verifier = createTokenVerifier(settings, { now: Date.now, fetch, onError })
    await assert.rejects(verifier.verify(await honest.sign({ iss: issuer.url })), { kind: 'unavailable' })
    assert.match(errors.join(), /over 1048576 bytes/)
    assert.ok(issuer.sentBytes() < 16 * 1024 * 1024, `${issuer.sentBytes()} bytes`)
  })
}
