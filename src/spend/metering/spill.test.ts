import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { generation } from '#test/harness/records/generations.ts'
import { listActivity } from '../ledger/spending/activity.ts'
import { openLedger } from './ledger.ts'
import { openSpill, type Spill } from './spill.ts'
import { writeGenerations } from './write.ts'

const wholeTime = { organizationId: 'organization', fromDay: 0, toDay: 99_999, by: new Set(['model'] as const) }

const metered = async (store: { db: Db }) => {
  const days = await listActivity(store, wholeTime)
  return days.reduce((sum, { requests }) => sum + requests, 0)
}

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-spill-'))
  return {
    folder,
    open: (maxBytes = 1e9) => openSpill({ folder, maxBytes, now: Date.now, newId: newUuid }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A database that is unreachable until the test changes its state. */
function unreachableDb({ db }: { db: Db }) {
  const state = { isUnreachable: true }
  const flaky: Db = {
    ...db,
    get query() {
      if (state.isUnreachable) throw new Error('gone')
      return db.query
    },
  }
  return { flaky, state }
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !condition(); await sleep(5)) assert.ok(Date.now() < deadline)
}

const quiet = { onError: () => {}, onRejected: assert.ifError, onLost: () => {} }
const quick = { everyMs: 5, spillAfterMs: 20, closeMs: 20, maxBatchRows: 10, saveRetryMs: 20 }

onEachDatabase('rows that the database refuses', (kind) => {
  test('is written to files, which the next start stores once', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const { flaky } = unreachableDb(store)
    const dying = openLedger({ db: flaky, spill: await fixture.open(), ...quiet }, quick)
    const all = Array.from({ length: 25 }, () => generation({ cost: 2n ** 60n }))
    all.forEach(dying.record)
    await dying.close()
    assert.equal(statSync(join(fixture.folder, readdirSync(fixture.folder)[0]!)).mode & 0o777, 0o600)
    const spill = await fixture.open()
    assert.equal(spill.requestCount, 25)
    const ledger = openLedger({ ...store, spill, ...quiet }, quick)
    await ledger.flush()
    await ledger.close()
    assert.deepEqual([await metered(store), spill.requestCount, readdirSync(fixture.folder)], [25, 0, []])
  })

  test('of a server killed while writing its file is recovered as far as written', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const spill = await fixture.open()
    await spill.write([generation(), generation(), generation()])
    const path = join(fixture.folder, (await spill.files())[0]!)
    truncateSync(path, statSync(path).size - 10)
    const [, ...parts] = basename(path).split('-')
    const halfSince = (ms: number) => join(fixture.folder, `${Date.now() - ms}-${parts.join('-')}.half`)
    copyFileSync(path, halfSince(30_000))
    writeFileSync(halfSince(90_000), '{"id":')
    renameSync(path, halfSince(120_000))
    const ledger = openLedger({ ...store, spill: await fixture.open(), ...quiet }, quick)
    await ledger.flush()
    await ledger.close()
    assert.equal(await metered(store), 2)
    assert.deepEqual(readdirSync(fixture.folder).length, 1, 'what is written now is left alone')
  })

  test('is in its file after a stop, even if the file was started before', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const { flaky } = unreachableDb(store)
    const [started, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const spill = await fixture.open()
    const write: Spill['write'] = async (generations) => {
      started.resolve()
      await mayEnd.promise
      await spill.write(generations)
    }
    const ledger = openLedger({ db: flaky, spill: { ...spill, write }, ...quiet }, { ...quick, closeMs: 1 })
    ledger.record(generation())
    await started.promise
    let closed = false
    const closing = ledger.close().then(() => {
      closed = true
    })
    await sleep(50)
    assert.equal(closed, false)
    mayEnd.resolve()
    await closing
    assert.equal((await fixture.open()).requestCount, 1)
  })

  test('reports the size, place and age of the backlog', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const { flaky, state } = unreachableDb(store)
    const ledger = openLedger({ db: flaky, spill: await fixture.open(), ...quiet }, { ...quick, spillAfterMs: 1e9 })
    const none = { waiting: 0, oldestAt: undefined }
    assert.deepEqual(ledger.backlog(), { memory: none, files: none })
    const first = generation()
    for (const one of [first, generation(), generation()]) ledger.record(one)
    const { memory } = ledger.backlog()
    assert.deepEqual(memory, { waiting: 3, oldestAt: first.createdAt + first.durationMs })
    const before = Date.now()
    await ledger.close()
    const { memory: left, files } = ledger.backlog()
    assert.deepEqual([left, files.waiting], [none, 3])
    assert.ok(files.oldestAt! >= before && files.oldestAt! <= Date.now(), `${files.oldestAt}`)
    state.isUnreachable = false
    const next = openLedger({ ...store, spill: await fixture.open(), ...quiet }, quick)
    await next.flush()
    assert.deepEqual(next.backlog(), { memory: none, files: none })
    await next.close()
  })

  test('waits in files, so that no crash loses it, and returns with the database', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const { flaky, state } = unreachableDb(store)
    const ledger = openLedger({ db: flaky, spill: await fixture.open(), ...quiet }, { ...quick, maxQueuedRows: 8 })
    for (let n = 0; n < 8; n++) ledger.record(generation())
    assert.equal(ledger.hasRoom(), false)
    await until(ledger.hasRoom)
    assert.deepEqual([ledger.waitingCount, (await fixture.open()).requestCount], [8, 8])
    state.isUnreachable = false
    await until(() => ledger.waitingCount === 0)
    await ledger.close()
    assert.equal(await metered(store), 8)
  })

  test('is not written twice after a crash, nor by a server that shares the folder', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const spill = await fixture.open()
    await spill.write([generation(), generation(), generation()])
    const forgetful: Spill = { ...spill, remove: () => Promise.reject(new Error('killed')) }
    const dying = openLedger({ ...store, spill: forgetful, ...quiet }, quick)
    await assert.rejects(dying.flush(), /killed/)
    await dying.close()
    assert.equal(await metered(store), 3)
    const both = await Promise.all([fixture.open(), fixture.open()])
    const ledgers = both.map((shared) => openLedger({ ...store, spill: shared, ...quiet }, quick))
    await until(() => readdirSync(fixture.folder).length === 0)
    await Promise.all(ledgers.map((ledger) => ledger.close()))
    assert.equal(await metered(store), 3)
  })

  test('that was already written in part is not counted twice', async () => {
    await using store = await newDb(kind)
    using fixture = newFolder()
    const spill = await fixture.open()
    const all = Array.from({ length: 5 }, () => generation())
    await spill.write(all)
    await writeGenerations(store, all.slice(0, 3))
    const ledger = openLedger({ ...store, spill, ...quiet }, quick)
    await ledger.flush()
    await ledger.close()
    assert.deepEqual([await metered(store), spill.requestCount], [5, 0])
  })
})

test('files have a bound in bytes, and beyond it no request is taken', async () => {
  using fixture = newFolder()
  const spill = await fixture.open(1000)
  assert.equal(spill.hasRoom(), true)
  await spill.write(Array.from({ length: 10 }, () => generation()))
  assert.equal(spill.hasRoom(), false)
  assert.equal((await fixture.open(1000)).hasRoom(), false)
})

test('an unreadable file is moved aside and reported, and the others are written', async () => {
  using fixture = newFolder()
  const spill = await fixture.open()
  await spill.write([generation()])
  const [file = ''] = await spill.files()
  truncateSync(join(fixture.folder, file), 20)
  await assert.rejects(spill.read(file), /was moved aside/)
  assert.deepEqual(await spill.files(), [])
  assert.deepEqual(readdirSync(fixture.folder), [`${file}.unreadable`])
})
