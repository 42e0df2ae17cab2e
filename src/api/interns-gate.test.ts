import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service.ts'

const paths = [
  ['GET', '/interns'],
  ['GET', '/interns/'],
  ['GET', '/interns?limit=bad'],
  ['POST', '/interns'],
  ['PUT', '/interns/ada'],
  ['DELETE', '/interns/ada'],
  ['OPTIONS', '/interns/ada/provision'],
  ['POST', '/interns/ada/chat/completions'],
  ['GET', '/interns/a/b/c/d'],
  ['GET', '/%69nterns/ada'],
  ['GET', '/interns/%zz'],
  ['GET', `/interns/${'x'.repeat(2000)}`],
] as const
const notFound = '{"error":{"code":404,"message":"Not found."}}'

test('outside the programme every path under /interns is the same 404, and inside it is not', async () => {
  await using service = await startTestService()
  const leave = await service.manage('PATCH', '/organization', { interns_programme: false })
  assert.equal(leave.body.data.interns_programme, false)
  for (const [method, path] of paths) {
    const { status, text } = await service.ask(method, path)
    assert.deepEqual([path, status, text], [path, 404, notFound])
  }
  await service.manage('PATCH', '/organization', { interns_programme: true })
  assert.equal((await service.ask('GET', '/interns')).status, 200)
  const { data } = (await service.manage('GET', '/audit?target_kind=organization')).body
  assert.deepEqual(
    data.map(({ action }: { action: string }) => action),
    ['organization.updated', 'organization.updated'],
  )
})

test('without a valid key, or with a management key, every path under /interns is a 401', async () => {
  await using service = await startTestService()
  for (const [method, path] of paths) {
    for (const key of [null, 'nonsense', service.managementKey]) {
      const { status, body } = await service.ask(method, path, { key })
      assert.deepEqual([path, status, Object.keys(body.error)], [path, 401, ['code', 'message']])
    }
  }
})

test('what only looks like /interns is not guarded', async () => {
  await using service = await startTestService()
  assert.equal((await service.ask('GET', '/internship', { key: null })).status, 404)
})
