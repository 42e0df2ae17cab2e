import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder, realShell } from '#test/harness/agent.ts'
import { isRunning } from '#test/harness/interns.ts'
import { until } from '#test/harness/until.ts'

async function run(script: string) {
  await using own = await newFolder()
  const options = { workspace: own.path, sandbox: false, timeoutMs: 200_000, signal: new AbortController().signal }
  return await realShell().run(script, options)
}

test('a command is over when it ends, whoever still holds its output', { timeout: 120_000 }, async () => {
  // Without the mark of its command nobody finds it.
  const { end, output } = await run('env -i setsid sleep 300 & sleep 0.5; echo $!')
  process.kill(Number(output), 'SIGKILL')
  assert.deepEqual(end, { how: 'exited', code: 0 })
})

test('what left the group of its command ends with it all the same', { timeout: 120_000 }, async () => {
  const { end, output } = await run('(setsid sleep 300 & echo $!); (setsid setsid sleep 300 & echo $!); sleep 0.5')
  assert.deepEqual(end, { how: 'exited', code: 0 })
  const left = output.trim().split('\n').map(Number)
  assert.equal(left.length, 2)
  await until(() => left.every((pid) => !isRunning(pid)))
})

test('a command that ends leaves another that runs beside it alone', { timeout: 120_000 }, async () => {
  const shell = realShell()
  await using own = await newFolder()
  const options = { workspace: own.path, sandbox: false, timeoutMs: 200_000, signal: new AbortController().signal }
  const beside = shell.run('setsid --wait sh -c "sleep 1; echo whole"', options)
  await shell.run('true', options)
  assert.equal((await beside).output, 'whole\n')
})
