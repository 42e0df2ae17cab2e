import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hasSubReaper } from '#agent/sandbox/sub-reaper.ts'
import { findProcess, isAlive } from '#provision/host/processes.ts'
import { startInternChatService } from '../../harness/interns/intern-chat.ts'
import { startProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Set in the run that is interrupted: the file that lists its processes. */
const listFile = process.env.INTERRUPTED_RUN_LIST

const skip = hasSubReaper ? false : 'this system has no sub-reaper'
if (listFile) test('a run that waits to be interrupted', () => waitWithProcesses(listFile))
else {
  test('npm test interrupted by Ctrl-C leaves no process behind', { skip }, () =>
    leavesNothing((npm) => process.kill(-npm, 'SIGINT')),
  )
  test('npm test ended by SIGTERM to npm alone leaves no process behind', { skip }, () =>
    leavesNothing((npm) => process.kill(npm, 'SIGTERM')),
  )
}

/** Starts a service, the daemon of an intern, a server process and an orphan in another session, then never ends. */
async function waitWithProcesses(file: string) {
  await using talk = await startInternChatService()
  await using server = startProcess({ DATA_DIR: join(talk.testStore.settings.data_dir, 'other') })
  await server.url
  const [daemonFile] = globSync(`${talk.testStore.settings.data_dir}/interns/*/daemon.json`)
  const daemon = JSON.parse(readFileSync(daemonFile!, 'utf8')).process.pid
  const orphan = Number(
    spawnSync('sh', ['-c', 'setsid sleep 100000 >/dev/null 2>&1 & echo $!'], { env: {}, encoding: 'utf8' }).stdout,
  )
  writeFileSync(`${file}.new`, JSON.stringify([process.pid, process.ppid, server.pid, daemon, orphan]))
  renameSync(`${file}.new`, file)
  await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))
}

async function leavesNothing(interrupt: (npm: number) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-interrupted-'))
  try {
    const file = join(folder, 'processes.json')
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const npm = spawn('npm', ['test', '--', 'interrupted-run.test'], {
      cwd: root,
      env: { ...env, INTERRUPTED_RUN_LIST: file },
      stdio: 'ignore',
      detached: true,
    })
    const ended = once(npm, 'exit')
    await until(() => existsSync(file) || npm.exitCode !== null)
    const pids: number[] = JSON.parse(readFileSync(file, 'utf8'))
    const started = pids.map(findProcess).filter((id) => id !== undefined)
    assert.equal(started.length, pids.length)
    interrupt(npm.pid!)
    const [code, signal] = await ended
    assert.ok(code !== 0 || signal !== null)
    await until(() => !started.some(isAlive))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
