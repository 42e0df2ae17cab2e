import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilRunning } from './until-running.ts'

type Seen = { status: string; progress?: { step_label: string } | null; last_failure_message?: string | null }

/** A service whose intern is like this, at one look after the other. */
async function waited(...looks: Seen[]) {
  const told: string[] = []
  const ask = async () => ({ progress: null, last_failure_message: null, ...looks.shift() }) as never
  await untilRunning({ ask }, 'ada', (text) => void told.push(text))
  return { told, left: looks.length }
}

test('an intern that was made a moment ago is waited for, and told is what it is at', async () => {
  const { told, left } = await waited(
    { status: 'queued' },
    { status: 'queued', last_failure_message: 'no host has the label gpu' },
    { status: 'provisioning', progress: { step_label: 'cloning' } },
    { status: 'provisioning', progress: { step_label: 'cloning' } },
    { status: 'running' },
  )
  assert.equal(left, 0)
  assert.deepEqual(told, ['"ada" is being started: no host has the label gpu', '"ada" is being started: cloning'])
})

test('one that nobody starts is not waited for: it is told how to, and why it failed', async () => {
  await assert.rejects(waited({ status: 'stopped' }), {
    name: 'StartupError',
    message: '"ada" is stopped: start it with "npx signalbox interns provision ada".',
  })
  const failed = { status: 'failed', last_failure_message: 'its daemon is gone' }
  await assert.rejects(waited(failed), { message: /^"ada" is failed \(its daemon is gone\): start it with/ })
})
