import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { until } from '#test/harness/until.ts'
import { writeRows } from './export.ts'

/** A reader that pauses after the first data until the test resumes it. */
function slowReader() {
  const leave = new AbortController()
  const state = { text: '', writes: 0, drain: () => {}, leave: () => leave.abort() }
  const response: ResponseStream = {
    opened: true,
    header: () => {},
    write(chunk) {
      state.text += chunk
      state.writes++
      return false
    },
    onDrain: (listener) => {
      state.drain = listener
    },
    end: () => {},
    signal: leave.signal,
  }
  return { state, response }
}

onEachDatabase('an export', (kind) => {
  test('exports every request once, and reads a page only after the previous one', async () => {
    await using store = await newDb(kind)
    const all = Array.from({ length: 1200 }, (_, i) => generation({ createdAt: at - i }))
    await writeGenerations(store, all)
    let pages = 0
    const reportQuery = new Proxy(store.db.reportQuery, {
      get(target, name) {
        if (name === 'selectFrom') pages++
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { state, response } = slowReader()
    const done = writeRows({ db: { ...store.db, reportQuery } }, caller, {}, response)
    await until(() => state.writes === 1)
    const before = pages
    await sleep(50)
    assert.deepEqual([state.writes, pages], [1, before])
    const writing = setInterval(() => state.drain(), 1)
    await done
    clearInterval(writing)
    const ids = state.text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[1])
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    )
  })

  test('ends when its reader leaves', async () => {
    await using store = await newDb(kind)
    await writeGenerations(
      store,
      Array.from({ length: 600 }, () => generation()),
    )
    const { state, response } = slowReader()
    const done = writeRows(store, caller, {}, response)
    await until(() => state.writes === 1)
    state.leave()
    await done
    assert.equal(state.writes, 1)
  })
})

test('the log is exported as filtered CSV without formula injection', async () => {
  await using service = await startTestService()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  const ask = async (title: string) => {
    const headers = { 'x-title': title }
    const reply = await service.ask('POST', '/chat/completions', { body, headers })
    return untilMetered(service, reply.headers.get('x-generation-id'))
  }
  const [first, second] = [await ask('=cmd()'), await ask('plain, "quoted"')]
  const { status, headers, text } = await service.manage('GET', '/generations/export')
  assert.equal(status, 200)
  assert.match(headers.get('content-type')!, /^text\/csv/)
  assert.match(headers.get('content-disposition')!, /attachment; filename="generations\.csv"/)
  const [head, ...lines] = text.trimEnd().split('\r\n')
  assert.match(head!, /^created_at,id,request_id,.*,total_cost,/)
  assert.deepEqual(
    lines.map((line) => line.split(',')[1]),
    [second.id, first.id],
  )
  assert.match(lines[1]!, /,'=cmd\(\),/)
  assert.match(lines[0]!, /,"plain, ""quoted""",/)
  const none = await service.ask('GET', '/generations/export?outcome=failed')
  assert.deepEqual([none.status, none.text.split('\r\n').length], [200, 2])
  const wrong = await service.ask('GET', '/generations/export?outcome=good')
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, 400])
})
