import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { until } from '#test/harness/until.ts'
import { measureTree } from './process-tree.ts'

const skip = process.platform === 'linux' ? false : 'Only Linux lists processes in /proc.'

/** A shell with two child shells, each with one child: five processes. */
async function family() {
  const below = '(sleep 600 & wait) & '
  const shell = spawn('/bin/sh', ['-c', `${below}${below}wait`], { stdio: 'ignore', detached: true })
  await until(() => measureTree(shell.pid, 100).processes === 5)
  const ended = new Promise((resolve) => shell.once('exit', resolve))
  const end = async () => {
    if (shell.exitCode === null && shell.signalCode === null) process.kill(-shell.pid!, 'SIGKILL')
    await ended
  }
  return { pid: shell.pid!, end, [Symbol.asyncDispose]: end }
}

test('all that descend from a process are counted, with the memory they hold', { skip }, async () => {
  await using shell = await family()
  const { processes, memoryBytes } = measureTree(shell.pid, 100)
  assert.equal(processes, 5)
  const alone = measureTree(process.pid, 0).memoryBytes
  assert.ok(alone > 20_000_000 && Math.abs(alone / process.memoryUsage.rss() - 1) < 0.5, `${alone} bytes`)
  assert.ok(memoryBytes > 5 * 4096 && memoryBytes < 5 * 20_000_000, `${memoryBytes} bytes`)
})

test('counting stops just above the limit', { skip }, async () => {
  await using shell = await family()
  assert.equal(measureTree(shell.pid, 2).processes, 3)
  assert.equal(measureTree(shell.pid, 5).processes, 5)
})

test('processes that have ended or never existed are not counted', { skip }, async () => {
  await using shell = await family()
  await shell.end()
  for (const pid of [shell.pid, undefined]) assert.deepEqual(measureTree(pid, 100), { processes: 0, memoryBytes: 0 })
})
