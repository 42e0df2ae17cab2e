import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { processAt } from '../host/processes.ts'
import { monitorDaemon } from './daemon-monitor.ts'

const ending = () => undefined

/** Watches this process as if it were a daemon. @returns what was told of it, and after how long. */
function watching(answers: (withinMs: number) => Promise<boolean>, unresponsiveMs: number) {
  const since = performance.now()
  const { promise: told, resolve } = Promise.withResolvers<{ reason: string; afterMs: number }>()
  const watched = { process: processAt(process.pid), ending, answers, unresponsiveMs }
  const stop = monitorDaemon(watched, (reason) => resolve({ reason, afterMs: performance.now() - since }))
  return { told, stop }
}

test('one that refuses at once has as long as one that is silent', async () => {
  const silent = async (withinMs: number) => sleep(withinMs, false)
  for (const answers of [async () => false, silent]) {
    const { reason, afterMs } = await watching(answers, 400).told
    assert.equal(reason, 'The daemon has not answered for 0.4 s.')
    assert.ok(afterMs >= 390, `it was told after ${afterMs} ms`)
  }
})

test('one that answers now and then is let be, and nothing is told once nobody watches', async () => {
  let asked = 0
  const answered = watching(async () => ++asked % 3 === 0, 100)
  const refused = watching(async () => false, 100)
  refused.stop()
  const silence = sleep(600, 'nothing')
  assert.equal(await Promise.race([answered.told, refused.told, silence]), 'nothing')
  answered.stop()
  assert.ok(asked > 5)
})
