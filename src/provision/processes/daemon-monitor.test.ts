import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProcess } from '../host/processes.ts'
import { monitorDaemon } from './daemon-monitor.ts'

const ending = () => undefined

/** Monitors this process as a daemon. @returns the reported reason, and its delay. */
function monitorThis(isResponding: (withinMs: number) => Promise<boolean>, unresponsiveMs: number) {
  const since = performance.now()
  const { promise: report, resolve } = Promise.withResolvers<{ reason: string; afterMs: number }>()
  const daemon = { process: findProcess(process.pid), ending, isResponding, unresponsiveMs }
  const stop = monitorDaemon(daemon, (reason) => resolve({ reason, afterMs: performance.now() - since }))
  return { report, stop }
}

test('a daemon that refuses gets as much time as a silent one', async () => {
  const silent = async (withinMs: number) => sleep(withinMs, false)
  for (const isResponding of [async () => false, silent]) {
    const { reason, afterMs } = await monitorThis(isResponding, 400).report
    assert.equal(reason, 'The daemon has not responded for 0.4 s.')
    assert.ok(afterMs >= 390, `reported after ${afterMs} ms`)
  }
})

test('occasional answers are enough, and a stopped monitor reports nothing', async () => {
  let checks = 0
  const answered = monitorThis(async () => ++checks % 3 === 0, 100)
  const refused = monitorThis(async () => false, 100)
  refused.stop()
  const silence = sleep(600, 'nothing')
  assert.equal(await Promise.race([answered.report, refused.report, silence]), 'nothing')
  answered.stop()
  assert.ok(checks > 5)
})
