import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throttleWarnings } from './warning-throttle.ts'

/** Warnings on a clock that the test sets: a failure every fifth of a second for a time, then none for a time. */
function warned() {
  const lines: { level: string; times?: number; err?: Error; error?: string; message: string }[] = []
  const line = (level: string) => (facts: object, message: string) => void lines.push({ level, ...facts, message })
  let now = 0
  let timers: { at: number; act: () => void }[] = []
  const schedule = (act: () => void, ms: number) => {
    const timer = { at: now + ms, act }
    timers.push(timer)
    return { refresh: () => (timer.at = now + ms) }
  }
  const pass = (ms: number) => {
    now += ms
    const due = timers.filter(({ at }) => at <= now)
    timers = timers.filter(({ at }) => at > now)
    for (const { act } of due) act()
  }
  const log = { warn: line('warn'), info: line('info') } as never
  const warn = throttleWarnings(log, 'rows are not written', { now: () => now, schedule })
  const fail = (ms: number, error: () => Error) => {
    for (let at = 0; at < ms; at += 200) {
      warn(error())
      pass(200)
    }
  }
  return { lines, warn, pass, fail }
}

const full = () =>
  Object.assign(new Error(`ENOSPC: no space left on device, open '${Math.random()}'`), { code: 'ENOSPC' })

test('a repeated failure is logged once, then once a minute with a count, then its end', () => {
  const { lines, fail, pass } = warned()
  fail(150_000, full)
  pass(60_000)
  assert.deepEqual(
    lines.map(({ level, times }) => [level, times]),
    [
      ['warn', undefined],
      ['warn', 301],
      ['warn', 601],
      ['info', 750],
    ],
  )
  assert.ok(lines[0]!.err && lines.slice(1).every(({ err, error }) => !err && error))
})

test('another failure is logged separately, and a single failure ends silently', () => {
  const { lines, fail, warn, pass } = warned()
  fail(1000, full)
  warn(new Error('the database is locked'))
  fail(1000, full)
  pass(60_000)
  assert.deepEqual(
    lines.map(({ level, err }) => [level, err?.message.slice(0, 6)]),
    [
      ['warn', 'ENOSPC'],
      ['warn', 'the da'],
      ['info', undefined],
    ],
  )
})

test('a failure that returns after its end is logged as new', () => {
  const { lines, warn, pass } = warned()
  for (let day = 0; day < 3; day++) {
    warn(new Error('old records were not pruned'))
    pass(3_600_000)
  }
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['warn', 'warn', 'warn'],
  )
})

test('messages that always differ cannot bypass the limit', () => {
  const { lines, fail } = warned()
  let count = 0
  fail(60_000, () => new Error(`row ${count++}`))
  assert.ok(lines.length <= 101, `${lines.length}`)
})
