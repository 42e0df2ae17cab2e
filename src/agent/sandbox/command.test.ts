import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isRunning } from '#test/harness/interns/interns.ts'
import { defaultSandbox, newFolder, realShell } from '#test/harness/interns/scripted-agent.ts'
import { until } from '#test/harness/until.ts'
import { createShell } from './shell.ts'
import { hasSubReaper } from './sub-reaper.ts'

async function run(script: string) {
  await using own = await newFolder()
  const options = { workspace: own.path, sandbox: false, timeoutMs: 200_000, signal: new AbortController().signal }
  return await realShell().run(script, options)
}

const escapes = {
  'with a cleared environment': 'env -i setsid sleep 300 & sleep 0.5; echo $!',
  'as an orphan': '(env -i setsid setsid sh -c "sleep 300 & echo \\$!; wait" & ) ; sleep 0.5',
  'as a daemon': 'env -i setsid sh -c "(setsid nohup sleep 300 >/dev/null 2>&1 & echo \\$!)"; sleep 0.3',
}
for (const [how, script] of Object.entries(escapes))
  test(`a process that escaped its command ${how} ends with it`, {
    timeout: 120_000,
    skip: !hasSubReaper,
  }, async () => {
    const { end, output } = await run(script)
    assert.deepEqual(end, { kind: 'exited', code: 0 })
    const pid = Number(output)
    assert.ok(pid > 0, output)
    await until(() => !isRunning(pid))
  })

test('a process that escaped a stopped command ends with it', { timeout: 120_000, skip: !hasSubReaper }, async () => {
  await using own = await newFolder()
  const options = { workspace: own.path, sandbox: false, timeoutMs: 2000, signal: new AbortController().signal }
  const { end, output } = await realShell().run('env -i setsid sleep 300 & echo $!; sleep 300', options)
  assert.deepEqual(end, { kind: 'stopped', reason: 'timeout' })
  await until(() => !isRunning(Number(output)))
})

test('a command ends as its shell does, by code or by signal', { timeout: 120_000 }, async () => {
  assert.deepEqual((await run('exit 7')).end, { kind: 'exited', code: 7 })
  assert.deepEqual((await run('kill -KILL $$')).end, { kind: 'signalled', signal: 'SIGKILL' })
  assert.deepEqual((await run('kill -TERM $$')).end, { kind: 'signalled', signal: 'SIGTERM' })
})

test('a process that left the process group ends with the command', { timeout: 120_000 }, async () => {
  const { end, output } = await run('(setsid sleep 300 & echo $!); (setsid setsid sleep 300 & echo $!); sleep 0.5')
  assert.deepEqual(end, { kind: 'exited', code: 0 })
  const remaining = output.trim().split('\n').map(Number)
  assert.equal(remaining.length, 2)
  await until(() => remaining.every((pid) => !isRunning(pid)))
})

test('a program with a standard input is started without the start file of the shell', {
  timeout: 120_000,
}, async () => {
  await using own = await newFolder()
  writeFileSync(join(own.path, '.bashrc'), 'echo started\n')
  const shell = createShell({ env: { PATH: process.env.PATH, HOME: own.path }, sandbox: defaultSandbox })
  const output: Buffer[] = []
  const { signal } = new AbortController()
  const options = { workspace: own.path, sandbox: false, hasInput: true, signal }
  const { ended } = await shell.start('echo ran', { ...options, onOutput: (bytes) => void output.push(bytes) })
  await ended
  assert.equal(Buffer.concat(output).toString(), 'ran\n')
})

test('the end of one command does not affect a parallel one', { timeout: 120_000 }, async () => {
  const shell = realShell()
  await using own = await newFolder()
  const options = { workspace: own.path, sandbox: false, timeoutMs: 200_000, signal: new AbortController().signal }
  const beside = shell.run('setsid --wait sh -c "sleep 1; echo whole"', options)
  await shell.run('true', options)
  assert.equal((await beside).output, 'whole\n')
})

test('a command without a free file descriptor is refused, and the process survives', { timeout: 120_000 }, () => {
  const script = `
    const { openSync, closeSync } = await import('node:fs')
    const { runCommand } = await import('#agent/sandbox/command.ts')
    const command = { file: '/bin/true', args: [], cwd: '/', env: {}, feeds: ['fed'] }
    const limits = { timeoutMs: 600_000, outputBytes: 1000, processes: 10, memoryBytes: 1e9 }
    const tried = () => runCommand(command, limits, new AbortController().signal).then(({ end }) => end.code, ({ code }) => code)
    const codes = [await tried()]
    const open = []
    try { for (;;) open.push(openSync('/dev/null')) } catch {}
    codes.push(await tried())
    open.forEach(closeSync)
    codes.push(await tried())
    console.log(JSON.stringify([codes, process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')]))`
  const node = [process.execPath, '--input-type=module', '-e', script]
  const limited = ['--norc', '-c', 'ulimit -n 300; "$@"; exit', 'bash', ...node]
  const { stdout, stderr } = spawnSync('bash', limited, { encoding: 'utf8', timeout: 600_000 })
  assert.deepEqual(stdout && JSON.parse(stdout), [[0, 'EMFILE', 0], []], stderr)
})
