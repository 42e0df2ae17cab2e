import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntilRunning } from './wait-until-running.ts'

type State = { status: string; progress?: { step_label: string } | null; last_failure_message?: string | null }

/** Waits with a service that reports these states of the intern, one for each request. */
async function waitWith(...states: State[]) {
  const reports: string[] = []
  const request = async () => ({ progress: null, last_failure_message: null, ...states.shift() }) as never
  await waitUntilRunning({ request }, 'ada', (text) => void reports.push(text))
  return { reports, remaining: states.length }
}

test('waitUntilRunning reports each step of the start once', async () => {
  const { reports, remaining } = await waitWith(
    { status: 'queued' },
    { status: 'queued', last_failure_message: 'no host has the label gpu' },
    { status: 'provisioning', progress: { step_label: 'cloning' } },
    { status: 'provisioning', progress: { step_label: 'cloning' } },
    { status: 'running' },
  )
  assert.equal(remaining, 0)
  assert.deepEqual(reports, ['"ada" is starting: no host has the label gpu', '"ada" is starting: cloning'])
})

test('waitUntilRunning fails with reason and command for an intern that cannot start', async () => {
  await assert.rejects(waitWith({ status: 'stopped' }), {
    name: 'UserFacingError',
    message: '"ada" is stopped. To start it: npx signalbox interns provision ada',
  })
  const failed = { status: 'failed', last_failure_message: 'its daemon is gone' }
  await assert.rejects(waitWith(failed), { message: /^"ada" is failed \(its daemon is gone\)\. To start it: / })
})
