import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDb } from '#platform/db/open.ts'
import { cellTables, grainsOf } from '#spend/rollups/cell-tables.ts'
import { newTestStore, onEachDatabase } from '../../harness/database/databases.ts'
import { mergeAll, recomputedCells, storedCells } from '../../harness/records/rollups.ts'
import { type ServerProcess, startProcess } from '../../harness/service/server-process.ts'

const apiKey = `sb-v1-${'b'.repeat(64)}`
const rounds = 3
/** Often enough that every write of the ledger has some, and without occupying a core. */
const askEveryMs = 10

/**
 * Repeats requests until the server is gone.
 * @returns the number of responses.
 */
async function askUntilGone(url: string): Promise<number> {
  const body = JSON.stringify({ model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  for (let completed = 0; ; completed++) {
    const reply = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body }).catch(() => undefined)
    const text = await reply?.text().catch(() => undefined)
    if (text === undefined) return completed
    assert.equal(reply!.status, 200, text)
    await sleep(askEveryMs)
  }
}

onEachDatabase('servers that are killed', (kind) => {
  test('leave roll-ups that equal the sums of the ledger', { timeout: 900_000 }, async () => {
    const testStore = await newTestStore(kind)
    const { data_dir, database_url } = testStore.settings
    // Each has a separate folder; only Postgres supports two servers.
    const folders = kind === 'postgres' ? [`${data_dir}/one`, `${data_dir}/two`] : [data_dir]
    const start = (folder: string): ServerProcess =>
      startProcess({ DATA_DIR: folder, DATABASE_URL: database_url, BOOTSTRAP_API_KEY: apiKey })
    let completed = 0
    for (let round = 0; round < rounds; round++) {
      // One after the other: the first fills the empty database.
      const servers: ServerProcess[] = []
      for (const folder of folders) {
        servers.push(start(folder))
        await servers.at(-1)!.url
      }
      const asking = servers.map(async ({ url }) => askUntilGone(await url))
      // Longer than a flush and, in some rounds, than the pause between two merges.
      await sleep(600 + Math.random() * (round % 2 === 0 ? 600 : 6000))
      for (const server of servers) server.signal('SIGKILL')
      for (const server of servers) await server.ended
      completed += (await Promise.all(asking)).reduce((sum, count) => sum + count, 0)
    }
    const db = await openDb(testStore.settings)
    await mergeAll(db)
    const rows = await db.query.selectFrom('generations').select('id').execute()
    assert.ok(rows.length > 0 && completed > rows.length / 2, `${rows.length} rows, ${completed} answered`)
    for (const table of cellTables)
      for (const grain of grainsOf[table])
        assert.deepEqual(await storedCells(db, table, grain), await recomputedCells(db, table, grain))
    await db.close()
    await testStore.remove()
  })
})
