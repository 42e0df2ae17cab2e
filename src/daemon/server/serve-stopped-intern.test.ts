import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectRuns } from '#interns/remote/connect-runs.ts'
import { until } from '#test/harness/until.ts'
import { defaultLimits } from '../settings/limits.ts'
import { serveStoppedIntern } from './serve-stopped-intern.ts'

test('files are served while a client is connected, and the process ends when idle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-alone-'))
  try {
    writeFileSync(join(folder, 'note.txt'), 'kept')
    const at = { socketPath: join(folder, 'socket'), token: 'a token of a daemon' }
    const settings = {
      ...at,
      listen: undefined,
      workspace: folder,
      state: join(folder, 'state'),
      limits: defaultLimits,
    }
    const served = await serveStoppedIntern(settings, { idleMs: 1500, log: () => {}, now: Date.now })
    let isOver = false
    void served.ended.then(() => (isOver = true))
    // A client that pauses before it sends its request.
    const slow = connect(at.socketPath)
    const startedAt = performance.now()
    await until(() => performance.now() - startedAt > 3000)
    assert.equal(isOver, false)
    const runs = connectRuns(at)
    assert.deepEqual([(await runs.health()).agent, (await runs.health()).runs], ['stopped', 0])
    const { entries } = await runs.files.list('.', { limit: 10 })
    assert.ok(entries.some(({ name }) => name === 'note.txt'))
    assert.deepEqual((await runs.transcripts.list({ limit: 10 })).sessions, [])
    slow.destroy()
    await served.ended
    // A signal that arrives while the process ends by itself.
    await served.stop()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
