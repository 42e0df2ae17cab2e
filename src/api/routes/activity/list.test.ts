import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metered } from '#test/harness/metered.ts'
import { startTestService } from '#test/harness/service.ts'

test('activity is told of one workspace, one key, one user or one day, and by workspace where it is asked for', async () => {
  await using service = await startTestService()
  const home = (await service.manage('GET', '/key')).body.data.workspace_id
  const other = (await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })).body.data.id
  const made = (await service.manage('POST', '/keys', { name: 'other', workspace_id: other })).body
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  for (const key of [service.apiKey, service.apiKey, made.key]) {
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    await metered({ ask: (method, path) => service.ask(method, path, { key }) }, headers.get('x-generation-id'))
  }
  const told = async (query: string) =>
    (await service.manage('GET', `/activity?${query}`)).body.data.map((item: any) => [item.workspace_id, item.requests])
  assert.deepEqual(await told(''), [[undefined, 3]])
  assert.deepEqual(await told(`workspace_id=${other}`), [[undefined, 1]])
  assert.deepEqual(await told('workspace_id=unknown'), [])
  assert.deepEqual(await told(`api_key_hash=${made.data.hash}`), [[undefined, 1]])
  assert.deepEqual(await told('user_id=nobody'), [])
  const byWorkspace = new Map(await told('group_by=workspace'))
  assert.deepEqual([byWorkspace.get(home), byWorkspace.get(other), byWorkspace.size], [2, 1, 2])
})
