import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder, realShell } from '#test/harness/agent.ts'

test('a command is over when it ends, whoever still holds its output', { timeout: 120_000 }, async () => {
  await using own = await newFolder()
  const left = 'setsid sleep 300 & sleep 0.5; echo $!'
  const options = { workspace: own.path, sandbox: false, timeoutMs: 200_000, signal: new AbortController().signal }
  const { end, output } = await realShell().run(left, options)
  process.kill(Number(output), 'SIGKILL')
  assert.deepEqual(end, { how: 'exited', code: 0 })
})
