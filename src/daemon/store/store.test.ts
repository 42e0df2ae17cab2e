import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { defaultTranscriptLimits } from '../transcript/limits.ts'
import { openStore, StoreError } from './store.ts'

test('a store that cannot be opened reports it, and releases its lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
  const other = new DatabaseSync(join(folder, 'daemon.sqlite'), { timeout: 0 })
  other.exec('CREATE VIEW sessions AS SELECT 1')
  assert.throws(() => openStore(folder, defaultTranscriptLimits), StoreError)
  other.exec('BEGIN EXCLUSIVE')
  other.close()
  rmSync(folder, { recursive: true })
})
