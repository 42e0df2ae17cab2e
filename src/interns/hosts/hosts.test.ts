import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { describeLoss, InternHosts } from './hosts.ts'

const at = Date.parse('2030-01-01T00:00:00Z')
const own = (name: string) => ({ name, address: `${name}.internal`, labels: ['gpu'], capacity: 7 })

onEachDatabase('hosts of interns', (kind) => {
  /** Two servers on separate hosts, and one without a host, on a database whose clock the test sets. */
  async function place() {
    const store = await newDb(kind)
    const time = { now: at }
    const clock = createLocalClock(() => time.now)
    const [a, b, off] = [own('a'), own('b'), undefined].map(
      (mine) => new InternHosts({ db: store.db, clock, ownHost: mine }),
    )
    await a!.renew()
    await b!.renew()
    await off!.renew()
    return { a: a!, b: b!, off: off!, time, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }

  test('are known by the reports of their servers', async () => {
    await using here = await place()
    assert.deepEqual(
      await here.off.list(),
      ['a', 'b'].map((name) => ({ ...own(name), storagePort: null, loss: null })),
    )
    assert.deepEqual(await here.off.readState('a'), { name: 'a', state: 'up', reason: null, since: null })
    assert.equal(await here.off.readState(null), null)
  })

  test('hosts are gone after seven seconds without a report', async () => {
    await using here = await place()
    here.time.now = at + 7000
    assert.equal((await here.b.readState('a'))?.state, 'up')
    here.time.now = at + 7001
    const since = '2030-01-01T00:00:00.000Z'
    const reason = 'The host a does not respond.'
    assert.deepEqual(await here.b.readState('a'), { name: 'a', state: 'gone', reason, since })
    assert.equal(describeLoss((await here.b.find('a'))!.loss!), `The host a does not respond (since ${since}).`)
    assert.equal((await here.a.readState('a'))?.state, 'up', 'to its own server it is there')
    await here.a.renew()
    assert.equal((await here.b.readState('a'))?.state, 'up')
  })

  test('are removed soon after the last server of the host was stopped', async () => {
    await using here = await place()
    await here.a.leave()
    here.time.now += 2000
    assert.equal((await here.b.readState('a'))?.state, 'up')
    here.time.now += 1
    assert.deepEqual(await here.b.readState('a'), {
      name: 'a',
      state: 'gone',
      reason: 'The server of the host a was stopped.',
      since: '2030-01-01T00:00:00.000Z',
    })
    await here.a.renew()
    assert.equal((await here.b.readState('a'))?.state, 'up')
  })

  test('that never reported are gone', async () => {
    await using here = await place()
    const reason = 'The host old is unknown.'
    assert.deepEqual(await here.a.readState('old'), { name: 'old', state: 'gone', reason, since: null })
  })
})
