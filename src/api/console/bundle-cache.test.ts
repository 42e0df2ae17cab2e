import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { createConsoleBundle } from './bundle-cache.ts'
import { readManifest } from './manifest.ts'
import { hashSources } from './sources.ts'

test('a bundle with a damaged manifest is replaced, and three bundles remain', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-bundle-'))
  using _ = { [Symbol.dispose]: () => rmSync(dataDir, { recursive: true, force: true }) }
  const parent = join(dataDir, 'console.remembered')
  const damaged = await hashSources()
  for (const [age, name] of ['interrupted.1.deleted', damaged, 'newer', 'older', 'oldest'].entries()) {
    const path = join(parent, name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'manifest.json'), '{"files":')
    utimesSync(path, 1000 - age, 1000 - age)
  }
  const folder = await createConsoleBundle({ dataDir, log: pino({ level: 'silent' }) })()
  assert.equal(folder, join(parent, damaged))
  assert.ok((await readManifest(folder))?.files.length)
  assert.deepEqual(readdirSync(parent).sort(), [damaged, 'newer', 'older'].sort())
})
