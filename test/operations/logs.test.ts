import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { newTestStore } from '../harness/database/databases.ts'
import { startProcess } from '../harness/service/server-process.ts'

const managementKey = `sb-v1-${'a'.repeat(64)}`
const strangeKey = `sb-v1-${'9'.repeat(64)}`

test('a key never appears in the log, for any transport and error', async () => {
  const testStore = await newTestStore('sqlite')
  const dataDir = testStore.settings.data_dir
  await using server = startProcess({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'trace',
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
  })
  const url = await server.url
  const send = async (path: string, body?: string) => {
    const headers = {
      authorization: `Bearer ${managementKey}`,
      'content-type': 'application/json',
      'x-key': strangeKey,
    }
    const response = await fetch(url + path, { method: body === undefined ? 'GET' : 'POST', headers, body })
    return response.status
  }
  await send(`/audit?limit=${strangeKey}`)
  await send(`/nowhere/${strangeKey}`)
  await send(`/presets/p/responses`, JSON.stringify({ model: strangeKey, [strangeKey]: strangeKey }))
  await send(`/presets/p/responses`, `{"broken": "${strangeKey}"`)
  await fetch(`${url}/audit`, { headers: { authorization: `Bearer ${strangeKey}` } })
  const database = new DatabaseSync(join(dataDir, 'signalbox.db'), { timeout: 60_000 })
  database.exec(`create trigger broken before insert on audit_events begin select raise(abort, '${strangeKey}'); end`)
  assert.equal(await send('/presets/p/responses', '{"instructions":"x"}'), 500)
  database.exec('drop table audit_events')
  database.close()
  assert.equal(await send(`/audit?action=${strangeKey}`), 500)
  server.signal('SIGTERM')
  await server.ended
  await testStore.remove()
  const log = server.err()
  assert.match(log, /request failed/)
  assert.match(log, /no such table/)
  assert.doesNotMatch(log, /sb-v1-(9{64}|a{64})/)
  assert.doesNotMatch(log, /9{20}|a{20}/)
})
