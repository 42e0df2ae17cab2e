import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller, KeyKind } from '#identity/accounts/caller.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { authorize, readAuthorization } from './authorize.ts'

/** A key ring with one key, either cached or read from the database. */
function ringOf(keyKind: KeyKind, remembered = true) {
  const findCaller = (secret: string) => (secret === 'known' ? ({ keyKind } as Caller) : undefined)
  return {
    keys: {
      findCached: (secret: string) => (remembered ? findCaller(secret) : undefined),
      find: async (s: string) => findCaller(s),
    },
  }
}

const outcomeOf = (...requests: Parameters<typeof authorize>) =>
  Promise.try(() => authorize(...requests)).then(
    () => 'in',
    (fault) => fault.kind,
  )

test('each kind of key opens its routes, and other errors name the missing right', async () => {
  const expected: [kind: KeyKind, need: 'any' | 'api' | 'management', outcome: string][] = [
    ['api', 'any', 'in'],
    ['management', 'any', 'in'],
    ['intern', 'any', 'in'],
    ['api', 'api', 'in'],
    ['intern', 'api', 'in'],
    ['management', 'api', 'unauthenticated'],
    ['management', 'management', 'in'],
    ['api', 'management', 'forbidden'],
    ['intern', 'management', 'forbidden'],
  ]
  for (const [kind, key, outcome] of expected) {
    for (const remembered of [true, false]) {
      const result = await outcomeOf(ringOf(kind, remembered), { key, method: 'get' }, 'Bearer known')
      assert.equal(result, outcome, `${kind} key on a route for ${key}`)
    }
  }
})

test('a route can answer a wrong kind of key with 401', async () => {
  const route = { key: 'management', method: 'get', wrongKeyFault: 'unauthenticated' } as const
  assert.equal(await outcomeOf(ringOf('api'), route, 'Bearer known'), 'unauthenticated')
})

test('the scheme is read in any case, and nothing but one token is a key', async () => {
  const outcome = (authorization: string | undefined) =>
    outcomeOf(ringOf('api'), { key: 'any', method: 'get' }, authorization)
  for (const good of ['Bearer known', 'bearer known', 'BEARER   known']) assert.equal(await outcome(good), 'in', good)
  for (const bad of [
    undefined,
    '',
    'known',
    'Basic known',
    'Bearer',
    'Bearer ',
    'Bearer known known',
    'Bearer unknown',
  ]) {
    assert.equal(await outcome(bad), 'unauthenticated', String(bad))
  }
})

test('the error for a key without `Bearer` names the missing scheme', async () => {
  const attempt = () => authorize(ringOf('api'), { key: 'any', method: 'get' }, `sb-v1-${'0'.repeat(64)}`)
  await assert.rejects(Promise.try(attempt), { kind: 'unauthenticated', message: /lacks "Bearer " before/ })
})

test('a 401 names the scheme', async () => {
  await using service = await startTestService()
  const { status, headers } = await service.ask('GET', '/key', { key: null })
  assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'])
})

test('a bare key counts as a bearer token, unless another credential is ours', () => {
  const ours = 'sb-v1-abc'
  assert.equal(readAuthorization({ 'x-api-key': ours }, true), `Bearer ${ours}`)
  assert.equal(readAuthorization({ authorization: 'Bearer other', 'x-api-key': ours }, true), `Bearer ${ours}`)
  assert.equal(readAuthorization({ authorization: `Bearer ${ours}`, 'x-api-key': 'sk-ant-1' }, true), `Bearer ${ours}`)
  assert.equal(readAuthorization({ authorization: 'Bearer x', 'x-api-key': ['a', 'b'] }, true), 'Bearer x')
  assert.equal(readAuthorization({ 'x-api-key': '' }, true), undefined)
  assert.equal(readAuthorization({ 'x-api-key': ours }, false), undefined)
})
