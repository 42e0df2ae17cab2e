import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scripted } from '../harness/interns/intern-chat.ts'
import { runningIntern, say } from '../harness/interns/interns.ts'
import { startTestService } from '../harness/service/service.ts'

test('sessions, runs and questions of interns are refused in another data region', async () => {
  await using service = await startTestService({ settings: { ...scripted, regions: { 'eu.test': 'europe' } } })
  const { id } = await runningIntern(service, { agent: 'scripted' })
  const { sessionId, question } = await say(service, id, 'permission shell allow_once')
  const [run] = (await service.ask('GET', `/interns/${id}/runs`)).body.data
  const paths = [
    `/interns/${id}/sessions`,
    `/interns/${id}/sessions/${sessionId}`,
    `/interns/${id}/questions`,
    `/interns/${id}/questions/${question!.id}`,
    '/interns/questions',
    `/interns/${id}/runs`,
    `/interns/${id}/runs/${run.id}`,
    `/interns/${id}/sessions/${sessionId}/requests`,
  ]
  for (const path of paths) assert.equal((await service.ask('GET', path)).status, 200, path)
  const { body } = await service.manage('GET', '/workspaces')
  const policy = { name: 'House', allowed_data_regions: ['europe'] }
  await service.manage('PATCH', `/guardrails/${body.data[0].default_guardrail_id}`, policy)
  for (const path of [...paths, `/interns/${id}/sessions/${sessionId}/events`]) {
    const refused = await service.ask('GET', path)
    assert.equal(refused.status, 403, path)
    assert.match(refused.body.error.message, /Refused by the guardrail "House".*through the region "global"/)
  }
  const cancelled = await service.ask('POST', `/interns/${id}/runs/${run.id}/cancel`)
  assert.equal(cancelled.status, 403)
  assert.match(cancelled.body.error.message, /through the region "global"/)
})
