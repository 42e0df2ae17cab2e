import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newFolder } from '#test/harness/interns/scripted-agent.ts'
import { findProcess, isAlive } from '../host/processes.ts'
import { monitorIntern } from './intern-monitor.ts'

const skip = process.platform !== 'linux' && 'only Linux lists processes in /proc'

/** A daemon whose intern exceeds its memory. The daemon ends a second before `end` resolves. */
async function startExceedingDaemon(home: string) {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
  const process = findProcess(child.pid!)!
  const ended = new Promise<string>((resolve) => child.once('exit', () => resolve('ended with code 0')))
  const daemon = { process, ending: () => ended, isResponding: async () => isAlive(process), unresponsiveMs: 60_000 }
  const resourceLimits = { intern_processes: 0, intern_memory_bytes: 1, intern_disk_bytes: 0, intern_log_bytes: 0 }
  const ending = Promise.withResolvers<void>()
  const end = async () => {
    child.kill('SIGKILL')
    await ended
    ending.resolve()
    await sleep(1000)
  }
  return {
    daemon,
    intern: { home, pid: child.pid!, uid: undefined, resourceLimits, end, onMeasureError: assert.fail },
    ending: ending.promise,
  }
}

test('a daemon that is ended for its memory is reported with the limit', { skip }, async () => {
  await using home = await newFolder()
  const { daemon, intern } = await startExceedingDaemon(home.path)
  const { promise: report, resolve } = Promise.withResolvers<string>()
  monitorIntern(daemon, intern, resolve)
  assert.match(await report, /^It used \d+ MiB of memory; at most \d+ MiB are allowed/)
})

test('a monitor that is stopped during the end reports nothing', { skip }, async () => {
  await using home = await newFolder()
  const { daemon, intern, ending } = await startExceedingDaemon(home.path)
  const reports: string[] = []
  const stop = monitorIntern(daemon, intern, (reason) => reports.push(reason))
  await ending
  stop()
  await sleep(1500)
  assert.deepEqual(reports, [])
})
