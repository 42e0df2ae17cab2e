import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { refusalOf } from '#test/harness/daemon.ts'
import { connectRuns } from './connect-runs.ts'

test('a daemon that answers without end is cut off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-endless-'))
  const socketPath = join(folder, 's')
  const endless = createServer((_, response) => {
    response.writeHead(500)
    Readable.from(Array(100).fill('x'.repeat(100_000))).pipe(response, { end: false })
  }).listen(socketPath)
  await once(endless, 'listening')
  const runs = connectRuns({ socketPath, token: 'any' })
  const refusal = await refusalOf(runs.health(AbortSignal.timeout(5000)))
  assert.equal(refusal?.message, 'The intern answered with more than it ever should.')
  runs.close()
  endless.close()
  rmSync(folder, { recursive: true })
})
