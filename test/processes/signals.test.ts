import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newTestStore, onOneDatabase } from '../harness/database/databases.ts'
import { killAfterTests, killDaemonsAfterTests } from '../harness/service/leftovers.ts'
import { startProcess } from '../harness/service/server-process.ts'
import { until } from '../harness/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'signalbox-signals-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

test('SIGTERM to "npm start" ends the service, which releases its folder', async () => {
  const DATA_DIR = join(scratch, 'data')
  const pidFile = join(DATA_DIR, 'server.pid')
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, DATA_DIR, PORT: '0', DEMO_INTERN: 'false', DRAIN_MS: '0' }
  const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
  killAfterTests(npm)
  killDaemonsAfterTests(DATA_DIR)
  let message = ''
  npm.stdout.on('data', (text) => {
    message += text
  })
  const ended = once(npm, 'close')
  await until(() => message.includes('listening on'))
  const server = Number(readFileSync(pidFile, 'utf8'))
  npm.kill('SIGTERM')
  await ended
  await until(() => !existsSync(pidFile))
  await until(() => !isRunning(server))
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

onOneDatabase('server.pid', (kind) => {
  test('is forwarded to the serving process, and ends with it', async () => {
    const testStore = await newTestStore(kind)
    const { data_dir: DATA_DIR, database_url: DATABASE_URL } = testStore.settings
    const pidFile = join(DATA_DIR, 'server.pid')
    const server = startProcess({ DATA_DIR, DATABASE_URL })
    await server.url
    assert.match(readFileSync(pidFile, 'utf8'), /^\d+\n$/)
    server.signal('SIGINT')
    assert.equal(await server.ended, 0)
    assert.equal(existsSync(pidFile), false)
    await testStore.remove()
  })
})
