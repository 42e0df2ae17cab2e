import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

async function ask(service: TestService, more: object): Promise<any> {
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }], ...more }
  const { headers } = await service.ask('POST', '/chat/completions', { body })
  return untilMetered(service, headers.get('x-generation-id'))
}

onEachDatabase('sums by session and tag', (kind) => {
  test('requests are summed by session and by the values of a tag, and filtered by a tag', async () => {
    await using service = await startTestService({ kind })
    const first = await ask(service, { session_id: 's-1', metadata: { team: 'search' } })
    await ask(service, { session_id: 's-1', metadata: { team: 'ads', tags: ['nightly', 'eval'] } })
    await ask(service, { session_id: 's-2', metadata: { team: 'search', tags: 'nightly' } })
    await ask(service, {})
    assert.deepEqual(first.tags, { team: 'search' })
    const sums = async (query: string) => {
      const { body } = await service.ask('GET', `/activity/sums?${query}`)
      return body.data.map((group: any) => [group.value, group.requests]).toSorted()
    }
    assert.deepEqual(await sums('by=session'), [
      ['s-1', 2],
      ['s-2', 1],
    ])
    assert.deepEqual(await sums('by=tag&tag_name=team'), [
      ['ads', 1],
      ['search', 2],
    ])
    assert.deepEqual(await sums('by=tag&tag_name=tags'), [
      ['eval', 1],
      ['nightly', 2],
    ])
    assert.deepEqual(await sums('by=session&tag=tags%3Dnightly'), [
      ['s-1', 1],
      ['s-2', 1],
    ])
    assert.deepEqual(await sums('by=tag&tag_name=team&session_id=s-2'), [['search', 1]])
    const listed = await service.ask('GET', '/generations?tag=team%3Dsearch')
    assert.equal(listed.body.data.length, 2)
    assert.equal((await service.ask('GET', '/activity/sums?by=tag')).status, 400)
  })

  test('groups add up the ledger, the most expensive first', async () => {
    await using service = await startTestService({ kind })
    const costs = []
    for (const session_id of ['a', 'a', 'b']) costs.push((await ask(service, { session_id })).total_cost)
    const [sum] = (await service.manage('GET', '/activity/sums?by=session&limit=1')).body.data
    assert.deepEqual([sum.value, sum.requests, sum.failed_requests], ['a', 2, 0])
    assert.ok(Math.abs(sum.usage - costs[0] - costs[1]) < 1e-12, `${sum.usage} ${costs}`)
    assert.equal(sum.unconfirmed_usd, 0)
  })
})
