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

/** A program with a thread that starts a child. */
const threadedParent = `
const { Worker } = require('node:worker_threads')
new Worker("require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' }); setInterval(() => {}, 1e6)", { eval: true })
`

test('children that another thread than the first one has started are counted', { skip }, async () => {
  const parent = spawn(process.execPath, ['-e', threadedParent], { stdio: 'ignore', detached: true })
  const ended = new Promise((resolve) => parent.once('exit', resolve))
  try {
    await until(() => measureTree(parent.pid, 100).processes === 2)
  } finally {
    process.kill(-parent.pid!, 'SIGKILL')
    await ended
  }
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
