import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newTestStore } from '../harness/database/databases.ts'
import { startProcess } from '../harness/service/server-process.ts'

const watch = fileURLToPath(new URL('../harness/service/loaded-schemas.js', import.meta.url))

test('a start builds only the schemas of the configured settings', async (t) => {
  const testStore = await newTestStore('sqlite')
  t.after(testStore.remove)
  const start = async () => {
    const env = { DATA_DIR: testStore.settings.data_dir, NODE_OPTIONS: `--import=${JSON.stringify(watch)}` }
    await using server = startProcess(env, [], 'bin/server.ts')
    await server.url
    server.signal('SIGTERM')
    await server.ended
    return /^schemas made: (.*)$/m.exec(server.err())?.[1]
  }
  // The first one reads catalogues, which the second one has as the first left them.
  assert.match((await start()) ?? '', /src\/catalogue\/sources\/format\/format\.ts/)
  assert.equal(await start(), '[]')
})
