import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newUuid } from '#platform/core/id.ts'
import { openSpill } from '#spend/metering/spill.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { newDb } from '../harness/database/databases.ts'

const sample = new URL('spill-file.jsonl', import.meta.url)
const expected = new URL('spill-file.row.json', import.meta.url)

test('a spill file of an earlier version is stored with all its fields', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-frozen-'))
  try {
    writeFileSync(join(folder, '1795000000000-1-sample.jsonl'), readFileSync(sample))
    const spill = await openSpill({ folder, maxBytes: 1e9, now: Date.now, newId: newUuid })
    const [file = ''] = await spill.files()
    await using store = await newDb('sqlite')
    await writeGenerations(store, (await spill.read(file))!)
    const { record, ...row } = await store.db.query.selectFrom('generations').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual({ ...row, record: JSON.parse(record) }, JSON.parse(readFileSync(expected, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
