import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findInternById } from '#interns/registry/intern-store.ts'
import { openDb } from '#platform/db/open.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { RulePusher } from './push-rules.ts'

test('rules are pushed at most three times', async () => {
  await using service = await startTestService({ kind: 'sqlite' })
  const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
  await using db = await openDb(service.testStore.settings).then((open) =>
    Object.assign(open, { [Symbol.asyncDispose]: () => open.close() }),
  )
  const intern = (await findInternById(db.query, id))!
  let calls = 0
  const refusing = (times: number) => ({
    runsOf: () => ({
      setRules: async () => {
        if (++calls <= times) throw new Error('The connection to the intern broke before its response.')
      },
    }),
  })
  const pusher = (times: number) => new RulePusher({ db, provisioner: refusing(times) as never })
  await pusher(2).push(intern)
  assert.equal(calls, 3)
  calls = 0
  await assert.rejects(pusher(9).push(intern), /broke before its response/)
  assert.equal(calls, 3)
})
