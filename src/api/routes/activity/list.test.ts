import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

test('activity is filtered by workspace, key, user or day, and grouped by workspace', async () => {
  await using service = await startTestService()
  const home = (await service.manage('GET', '/key')).body.data.workspace_id
  const other = (await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })).body.data.id
  const created = (await service.manage('POST', '/keys', { name: 'other', workspace_id: other })).body
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  for (const key of [service.apiKey, service.apiKey, created.key]) {
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    await untilMetered({ ask: (method, path) => service.ask(method, path, { key }) }, headers.get('x-generation-id'))
  }
  const activityOf = async (query: string) =>
    (await service.manage('GET', `/activity?${query}`)).body.data.map((item: any) => [item.workspace_id, item.requests])
  assert.deepEqual(await activityOf(''), [[undefined, 3]])
  assert.deepEqual(await activityOf(`workspace_id=${other}`), [[undefined, 1]])
  assert.deepEqual(await activityOf('workspace_id=unknown'), [])
  assert.deepEqual(await activityOf(`api_key_hash=${created.data.hash}`), [[undefined, 1]])
  assert.deepEqual(await activityOf('user_id=nobody'), [])
  const byWorkspace = new Map(await activityOf('group_by=workspace'))
  assert.deepEqual([byWorkspace.get(home), byWorkspace.get(other), byWorkspace.size], [2, 1, 2])
})

test('activity has spending by member, key and day, with names of deleted ones', async () => {
  await using service = await startTestService()
  const ada = { email: 'ada@example.com', name: 'Ada Lovelace' }
  const { id } = (await service.manage('POST', '/organization/members', ada)).body.data
  const created = (await service.manage('POST', '/keys', { name: 'laptop', creator_user_id: ada.email })).body
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  for (const key of [service.apiKey, created.key, created.key]) {
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    await untilMetered({ ask: (method, path) => service.ask(method, path, { key }) }, headers.get('x-generation-id'))
  }
  await service.manage('DELETE', `/organization/members/${id}`)
  await service.manage('DELETE', `/keys/${created.data.hash}`)
  const activityOf = async (query: string) => (await service.manage('GET', `/activity?${query}`)).body.data
  const [hers] = await activityOf(`group_by=member,day&user_id=Ada@example.com`)
  assert.deepEqual(
    [hers.user_id, hers.user_name, hers.user_email, hers.requests, hers.model],
    [id, ada.name, ada.email, 2, undefined],
  )
  const byKey = await activityOf('group_by=key,day')
  const named = new Map(byKey.map((item: any) => [item.api_key_name, [item.user_email, item.requests]]))
  assert.deepEqual(named.get('laptop'), [ada.email, 2])
  assert.equal(named.size, 2)
  const byModel = await activityOf('group_by=member')
  assert.deepEqual(new Set(byModel.map((item: any) => item.model)), new Set(['signalbox/demo']))
  const days = await activityOf('group_by=day')
  assert.deepEqual([days.length, days[0].requests, days[0].user_id], [1, 3, undefined])
  const stranger = await service.manage('GET', '/activity?user_id=eve@example.com')
  assert.equal(stranger.status, 400)
  assert.match(stranger.body.error.message, /user_id: no member has this email address/)
})
