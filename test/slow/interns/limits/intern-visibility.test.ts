import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../../../harness/database/databases.ts'
import { open, scripted } from '../../../harness/interns/intern-chat.ts'
import { answer, runningIntern, say, tryAnswer } from '../../../harness/interns/interns.ts'
import { startTestService, type TestService } from '../../../harness/service/service.ts'
import { addColleague } from '../../../harness/service/world/colleague.ts'
import { until } from '../../../harness/until.ts'

const calls = (id: string): [method: string, path: string, body?: object][] => [
  ['GET', `/interns/${id}`],
  ['PATCH', `/interns/${id}`, { description: 'mine' }],
  ['DELETE', `/interns/${id}`],
  ['POST', `/interns/${id}/provision`],
  ['POST', `/interns/${id}/suspend`],
  ['POST', `/interns/${id}/chat/completions`, { stream: true, messages: [{ role: 'user', content: 'hi' }] }],
]

onOneDatabase('whom an intern is visible to', (kind) => {
  test('to a colleague, one that its creator alone sees answers like none, on every path', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    assert.equal((await service.ask('GET', `/interns/${id}`)).body.visibility, 'creator')
    const grace = await addColleague(service)
    for (const [at, [method, path, body]] of calls(id).entries()) {
      const nobodys = calls('00000000-0000-4000-8000-000000000000')[at]![1]
      const [hers, none] = [await grace.ask(method, path, { body }), await grace.ask(method, nobodys, { body })]
      assert.deepEqual([hers.status, hers.text], [404, none.text], `${method} ${path}`)
    }
    assert.equal((await grace.ask('GET', '/interns/ada')).status, 404)
    assert.deepEqual((await grace.ask('GET', '/interns')).body.data, [])
    assert.equal((await grace.ask('GET', `/interns?starting_after=${id}`)).status, 400)
  })

  test('members use a shared intern; only its creator changes or deletes it', async () => {
    await using service = await startTestService({ kind })
    const created = await service.ask('POST', '/interns', { body: { name: 'ada', visibility: 'workspace' } })
    const { id } = created.body
    const grace = await addColleague(service)
    assert.deepEqual((await grace.ask('GET', '/interns')).body.data, [created.body])
    for (const [method, body] of [['PATCH', { approval_mode: 'self-drive' }], ['DELETE']] as const) {
      const refused = await grace.ask(method, '/interns/ada', { body })
      assert.deepEqual([refused.status, refused.body.error.message.slice(0, 16)], [403, 'Only its creator'])
    }
    assert.equal((await grace.ask('POST', `/interns/${id}/provision`)).status, 202)
    await until(async () => (await grace.ask('GET', '/interns/ada')).body.status === 'running')
    assert.match((await say(grace, 'ada', 'write notes.txt: hers', { approval_mode: 'self-drive' })).text, /./)
    assert.equal((await grace.ask('POST', '/interns/ada/suspend')).status, 200)
    assert.equal((await service.ask('DELETE', '/interns/ada')).status, 202)
  })

  test('another workspace and another organization do not see it', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada', visibility: 'workspace' } })).body
    const { body } = await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })
    const stranger = await addColleague(service, 'heidi', { workspace_id: body.data.id })
    assert.equal((await stranger.ask('GET', `/interns/${id}`)).status, 404)
    assert.deepEqual((await stranger.ask('GET', '/interns')).body.data, [])
    // Its creator, by a key of that workspace, cannot see it there either.
    const elsewhere = await service.manage('POST', '/keys', { name: 'mine', workspace_id: body.data.id })
    assert.equal((await service.ask('GET', `/interns/${id}`, { key: elsewhere.body.key })).status, 404)
  })

  test('a change of it holds at once, and is in the audit log', async () => {
    await using service = await startTestService({ kind })
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    const grace = await addColleague(service)
    const change = (visibility: string) => service.ask('PATCH', '/interns/ada', { body: { visibility } })
    assert.equal((await change('workspace')).body.visibility, 'workspace')
    assert.equal((await grace.ask('GET', '/interns/ada')).status, 200)
    assert.equal((await change('creator')).status, 200)
    assert.equal((await grace.ask('GET', '/interns/ada')).status, 404)
    const { data } = (await service.manage('GET', `/audit?target_id=${id}&action=intern.updated`)).body
    assert.deepEqual([data[1].before.visibility, data[1].after.visibility], ['creator', 'workspace'])
  })

  test('a name means one intern to each: one’s own first, and one of the workspace', async () => {
    await using service = await startTestService({ kind })
    const make = (who: Pick<TestService, 'ask'>, body: object) => who.ask('POST', '/interns', { body })
    const [grace, heidi] = [await addColleague(service), await addColleague(service, 'heidi')]
    const own = (await make(grace, { name: 'ada' })).body.id
    const shared = (await make(service, { name: 'ada', visibility: 'workspace' })).body.id
    const idFor = async (who: Pick<TestService, 'ask'>) => (await who.ask('GET', '/interns/ada')).body.id
    assert.deepEqual([await idFor(grace), await idFor(heidi), await idFor(service)], [own, shared, shared])
    assert.equal((await make(heidi, { name: 'ada', visibility: 'workspace' })).status, 409)
    const widened = await grace.ask('PATCH', '/interns/ada', { body: { visibility: 'workspace' } })
    assert.match(widened.body.error.message, /The name "ada" is already used/)
  })

  test('after its creator left, members who see it can change and delete it', async () => {
    await using service = await startTestService({ kind })
    const [grace, heidi] = [await addColleague(service), await addColleague(service, 'heidi')]
    await grace.ask('POST', '/interns', { body: { name: 'ada', visibility: 'workspace' } })
    assert.equal((await heidi.ask('DELETE', '/interns/ada')).status, 403)
    await service.manage('DELETE', `/organization/members/${grace.userId}?disable_keys=true`)
    assert.equal((await heidi.ask('PATCH', '/interns/ada', { body: { description: 'ours' } })).status, 200)
    assert.equal((await heidi.ask('DELETE', '/interns/ada')).status, 202)
  })

  test('one member’s question is answered by another, and the reply continues', async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const grace = await addColleague(service)
    const turn = await say(service, id, 'permission shell allow_once reject_once\nsay on')
    assert.equal(turn.finish, 'tool_calls')
    assert.match((await answer(grace, 'ada', turn, 'allow_once')).text, /on$/)
  })

  test("a member's stream and answers end when the intern becomes private", async () => {
    await using service = await startTestService({ kind, settings: scripted })
    const { id } = await runningIntern(service, { agent: 'scripted', visibility: 'workspace' })
    const grace = await addColleague(service)
    const turn = await say(grace, id, 'permission shell allow_once')
    const messages = [{ role: 'user', content: 'say started\nhang' }]
    const streaming = await open({ url: service.url, apiKey: grace.key }, 'ada', { messages })
    await until(async () => JSON.stringify(await streaming.next()).includes('started'))
    await service.ask('PATCH', '/interns/ada', { body: { visibility: 'creator' } })
    const rest = (await streaming.rest()).map((event) => JSON.stringify(event)).join('\n')
    assert.match(rest, /"code":404,"message":"Intern not found\."/)
    assert.equal((await tryAnswer(grace, id, turn, 'allow_once')).status, 404)
    assert.match((await answer(service, id, turn, 'allow_once')).finish ?? '', /stop/)
  })
})
