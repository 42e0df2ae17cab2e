import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTokenIssuer, type TokenIssuer } from '#test/harness/service/token-issuer.ts'
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
