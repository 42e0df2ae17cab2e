import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { markerVariable } from '#platform/process/process-marker.ts'
import { until } from '#test/harness/until.ts'
import { findProcess } from '../host/processes.ts'
import { killAll } from './kill-all.ts'

const noProc = process.platform !== 'linux' && 'only Linux lists processes in /proc'
const isRoot = process.getuid?.() === 0
const uid = 1_987_650_000 + (process.pid % 1000)

/**
 * Starts a process that starts another one and exits, repeatedly, and adds a line to a file each time. With `setsid` each of
 * them has a separate session.
 */
async function startHopper({ as, mark, setsid }: { as?: number; mark: string; setsid: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-hopper-'))
  const [script, beat] = [join(folder, 'hop.sh'), join(folder, 'beat')]
  const hop = `${setsid ? 'setsid ' : ''}/bin/sh "$0" &`
  // It ends when its folder is removed, also after a failed test.
  writeFileSync(script, `[ -e ${beat} ] || exit\necho >> ${beat}\nsleep 0.005\n${hop}\n`)
  writeFileSync(beat, '')
  chmodSync(folder, 0o755)
  if (as !== undefined) for (const path of [folder, beat]) chownSync(path, as, as)
  const child = spawn('/bin/sh', [script], {
    stdio: 'ignore',
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH, [markerVariable]: mark },
    ...(as !== undefined && { uid: as, gid: as }),
  })
  const beats = () => statSync(beat).size
  await until(() => beats() > 5, 120_000)
  const isRunning = async () => {
    const before = beats()
    await sleep(500)
    return beats() > before
  }
  const dispose = () => rmSync(folder, { recursive: true, force: true })
  return { child, isRunning, [Symbol.dispose]: dispose }
}

for (const setsid of [false, true]) {
  const how = setsid ? ' in separate sessions' : ''
  test(`processes that only fork and exit end with their user${how}`, {
    skip: !isRoot && 'only root can use other users',
  }, async () => {
    for (let tries = 0; tries < 5; tries++) {
      using hopper = await startHopper({ as: uid, mark: 'unused', setsid })
      assert.equal(await hopper.isRunning(), true)
      await killAll({ process: undefined, uid, mark: 'none' }, 60_000)
      assert.equal(await hopper.isRunning(), false)
    }
  })

  test(`without a separate user they are found by their mark${how}`, { skip: noProc }, async () => {
    const mark = `hopper-${process.pid}-${setsid}`
    using hopper = await startHopper({ mark, setsid })
    assert.equal(await hopper.isRunning(), true)
    await killAll({ process: undefined, uid: undefined, mark }, 60_000)
    assert.equal(await hopper.isRunning(), false)
  })
}

test('descendants of a daemon end with it, also without the mark', { skip: noProc }, async () => {
  const grandchild = 'env -i /bin/sleep 1000 & wait'
  const daemon: ChildProcess = spawn('/bin/sh', ['-c', `/bin/sh -c '${grandchild}' & wait`], { detached: true })
  const children = (pid: number) =>
    existsSync(`/proc/${pid}`)
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
      : []
  const sleeper = await until(() => children(children(daemon.pid!)[0]!)[0])
  const id = findProcess(sleeper)!
  await killAll({ process: findProcess(daemon.pid!), uid: undefined, mark: 'nobody-has-this' }, 60_000)
  assert.notEqual(findProcess(sleeper)?.began, id.began)
})

const skip = isRoot
  ? process.arch !== 'x64' && 'the system call has another number on this processor'
  : 'only root can use other users'

test('a process that hides its memory, and so seems to belong to root, is ended', { skip }, async (t) => {
  if (!existsSync('/usr/bin/perl')) return t.skip('perl is not installed')
  const hidden = '$n = "hidden"; syscall(157, 4, 0); syscall(157, 15, $n); sleep 1000'
  const child = spawn('/usr/bin/perl', ['-e', hidden], { uid, gid: uid, cwd: '/', stdio: 'ignore' })
  const ended = once(child, 'exit')
  await until(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'hidden\n', 60_000)
  await assert.rejects(
    killAll({ process: undefined, uid, mark: 'none' }, 0, async () => true),
    /^Error: 1 of its processes could not be ended: end them on the host, then retry\.$/,
  )
  await killAll({ process: undefined, uid, mark: 'none' }, 60_000)
  assert.deepEqual(await ended, [null, 'SIGKILL'])
})

test('only the separate user of an intern is signalled', async () => {
  for (const user of [0, process.getuid!()])
    await assert.rejects(
      killAll({ process: undefined, uid: user, mark: 'none' }, 0),
      /is not a separate user of an intern/,
    )
})
