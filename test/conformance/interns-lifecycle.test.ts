import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'

/** The official client, validating every answer against its own schemas. */
function findClient({ url, apiKey }: { url: string; apiKey: string }): OpenRouter {
  return new OpenRouter({ apiKey, serverURL: url, retryConfig: { strategy: 'none' } })
}

test('interns: make, get, list, update, provision, suspend, delete', async () => {
  await using service = await startTestService()
  const { interns } = findClient(service)
  const fields = { name: 'ada', description: 'Counts.', instructions: 'Be brief.' }
  const make = () => interns.createIntern({ idempotencyKey: 'once', createInternRequest: fields })
  const created = await make()
  assert.deepEqual([created.name, created.status, created.progress, created.vaultId], ['ada', 'stopped', null, null])
  assert.deepEqual(await make(), created)
  const { id: internId } = created
  const updated = await interns.updateIntern({ internId, updateInternRequest: { name: 'bob', description: null } })
  assert.deepEqual([updated.name, updated.description, updated.instructions], ['bob', null, 'Be brief.'])

  assert.deepEqual(await interns.provisionIntern({ internId }), { provisioning: true })
  await until(async () => (await interns.getIntern({ internId })).status === 'running')
  const listed = await interns.listInterns({ limit: 1, status: ['running', 'failed'] })
  assert.deepEqual([listed.data.map(({ name }) => name), listed.hasMore], [['bob'], false])
  assert.deepEqual(await interns.suspendIntern({ internId }), { suspended: true })
  const deleted = await interns.deleteIntern({ internId, deleteInternRequest: { acknowledgeWorkspaceLoss: true } })
  assert.deepEqual(deleted, { deleting: true })
  await until(() =>
    interns.getIntern({ internId }).then(
      () => false,
      (error: Error) => /Intern not found/.test(error.message),
    ),
  )
})

test('interns: refusals are errors that the client knows', async () => {
  await using service = await startTestService()
  const { interns } = findClient(service)
  await assert.rejects(interns.getIntern({ internId: 'unknown' }), /Intern not found/)
  await assert.rejects(interns.createIntern({ createInternRequest: { name: 'No' } }), /name/)
  const { id: internId } = await interns.createIntern({ createInternRequest: { name: 'ada' } })
  await assert.rejects(interns.suspendIntern({ internId }), /it must be running/)
})
