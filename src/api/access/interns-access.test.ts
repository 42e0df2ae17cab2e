import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { hashOf } from '#identity/accounts/keys/secret.ts'
import { openDb } from '#platform/db/open.ts'
import { startTestService } from '#test/harness/service/service.ts'

const paths = [
  ['GET', '/interns'],
  ['GET', '/interns/'],
  ['GET', '/interns?limit=bad'],
  ['POST', '/interns'],
  ['PUT', '/interns/ada'],
  ['DELETE', '/interns/ada'],
  ['OPTIONS', '/interns/ada/provision'],
  ['POST', '/interns/ada/chat/completions'],
  ['GET', '/interns/ada/chat/completions'],
  ['GET', '/interns/a/b/c/d'],
  ['GET', '/%69nterns/ada'],
  ['GET', '/interns/%zz'],
  ['GET', `/interns/${'x'.repeat(2000)}`],
] as const
const notFound = '{"error":{"code":404,"message":"Not found."}}'

/** The console answers browsers on unknown paths. */
const starts = {
  'without the console': () => startTestService(),
  'with the console': () => startTestService({ settings: { console: 'true' as never } }),
}

for (const [how, start] of Object.entries(starts)) {
  test(`outside the programme every path under /interns returns the same 404, ${how}`, async () => {
    await using service = await start()
    const leave = await service.manage('PATCH', '/organization', { interns_programme: false })
    assert.equal(leave.body.data.interns_programme, false)
    for (const [method, path] of paths) {
      const { status, text } = await service.ask(method, path)
      assert.deepEqual([path, status, text], [path, 404, notFound])
    }
    // A change to the same value writes no audit record.
    for (const patch of [{ interns_programme: true }, { interns_programme: true }, {}])
      await service.manage('PATCH', '/organization', patch)
    assert.equal((await service.ask('GET', '/interns')).status, 200)
    const { data } = (await service.manage('GET', '/audit?target_kind=organization')).body
    assert.deepEqual(
      data.map(({ action }: { action: string }) => action),
      ['organization.updated', 'organization.updated'],
    )
  })

  test(`every path under /interns returns 401 without a valid API key, ${how}`, async () => {
    await using service = await start()
    for (const [method, path] of paths) {
      for (const key of [null, 'nonsense', service.managementKey]) {
        const { status, body } = await service.ask(method, path, { key })
        assert.deepEqual([path, status, Object.keys(body.error)], [path, 401, ['code', 'message']])
      }
    }
  })
}

test('no form of the request target bypasses the check', async () => {
  await using service = await startTestService()
  await service.manage('PATCH', '/organization', { interns_programme: false })
  const { host, pathname } = new URL(service.url)
  for (const path of ['/interns', '/interns/ada', '/interns/a/b/c/d']) {
    const forms = [`${pathname}${path}#x`, `http://${host}${pathname}${path}`, `HTTPS://${host}${pathname}${path}`]
    for (const target of forms) {
      assert.deepEqual([target, await askTarget(service, target)], [target, { status: 404, text: notFound }])
    }
  }
})

/** Sends the request target unchanged; `fetch` would normalize it. */
async function askTarget({ url, apiKey }: { url: string; apiKey: string }, target: string) {
  const { hostname, port } = new URL(url)
  const clientRequest = request({ hostname, port, path: target, headers: { authorization: `Bearer ${apiKey}` } }).end()
  const [response] = await once(clientRequest, 'response')
  return { status: response.statusCode, text: await readText(response) }
}

test('similar paths are not guarded', async () => {
  await using service = await startTestService()
  assert.equal((await service.ask('GET', '/internship', { key: null })).status, 404)
})

test('a key whose creator has left gets a 403, until it holds a grant', async () => {
  await using service = await startTestService()
  const db = await openDb(service.testStore.settings)
  await db.query.updateTable('memberships').set({ left_at: 1 }).execute()
  await db.close()
  for (const path of ['/interns', '/interns/a/b/c/d']) {
    const { status, body } = await service.ask('GET', path)
    assert.deepEqual([status, Object.keys(body.error)], [403, ['code', 'message']])
  }
  const key = hashOf(service.apiKey)
  await service.manage('PATCH', `/keys/${key}`, { interns_grant: true })
  assert.equal((await service.ask('GET', '/interns')).status, 200)
})

test('an intern’s own key finds no interns at all', async () => {
  await using service = await startTestService()
  const db = await openDb(service.testStore.settings)
  await db.query.updateTable('api_keys').set({ kind: 'intern' }).where('hash', '=', hashOf(service.apiKey)).execute()
  await db.close()
  assert.equal((await service.ask('GET', '/interns')).text, notFound)
  assert.equal((await service.ask('GET', '/models/user')).status, 200)
})
