import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onOneDatabase } from '../harness/database/databases.ts'
import { openBrowser } from '../harness/service/browser-client.ts'
import { startTestService, type TestService } from '../harness/service/service.ts'

/** The names of the targets of an action, newest first. */
async function named(service: TestService, action: string): Promise<(string | null)[]> {
  const { data } = (await service.manage('GET', `/audit?action=${action}`)).body
  return data.map(({ target }: { target: { name: string | null } }) => target.name)
}

onOneDatabase('changes named in the audit log', (kind) => {
  test('is listed with its current or last name', async () => {
    await using service = await startTestService({ kind })
    const { hash } = (await service.manage('POST', '/keys', { name: 'first' })).body.data
    await service.manage('PATCH', `/keys/${hash}`, { name: 'second' })
    assert.deepEqual(await named(service, 'key.created'), ['second', ...(await othersThan(service, hash))])
    await service.manage('DELETE', `/keys/${hash}`)
    assert.deepEqual(await named(service, 'key.updated'), ['second'])
  })

  test('has its name also if the event lacks it: a browser is its member’s', async () => {
    await using service = await startTestService({ kind })
    const { body } = await service.manage('POST', '/workspaces', { name: 'Research', slug: 'research' })
    await service.manage('DELETE', `/workspaces/${body.data.id}/contents`)
    const intern = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    await service.ask('PUT', `/interns/${intern.id}/rules`, { body: { rules: [], expected_version: 0 } })
    await openBrowser(service, { key: service.managementKey })
    assert.deepEqual(await named(service, 'workspace.contents_deleted'), ['Research'])
    assert.deepEqual(await named(service, 'session.started'), ['Owner'])
  })
})

async function othersThan(service: TestService, hash: string): Promise<string[]> {
  const { data } = (await service.manage('GET', '/audit?action=key.created')).body
  return data.filter(({ target }: any) => target.id !== hash).map(({ after }: any) => after.name)
}
