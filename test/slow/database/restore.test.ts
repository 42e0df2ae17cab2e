import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { newEmptyTestStore } from '../../harness/database/databases.ts'
import { startProcess } from '../../harness/service/server-process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-restore-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const needsPostgres = { skip: process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set' }

const managementKey = `sb-v1-${'c'.repeat(64)}`
const keys = { BOOTSTRAP_MANAGEMENT_KEY: managementKey, BOOTSTRAP_API_KEY: `sb-v1-${'d'.repeat(64)}` }
const manage = async (url: string, method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
  assert.ok(response.ok, `${path}: ${response.status}`)
  return (await response.json()) as { data: { label: string }[] }
}
const credential = { provider: 'openai', key: 'sk-0123456789abcdefghij', name: 'ours' }

/** A server that has a provider key to lose, stopped again. */
async function used(env: Record<string, string>): Promise<void> {
  await using server = startProcess({ ...keys, ...env })
  await manage(await server.url, 'POST', '/byok', credential)
  server.signal('SIGTERM')
  await server.ended
}

/** The steps of docs/operations.md, as they are written there. */
function sh(env: Record<string, string>, ...steps: string[]): void {
  const options = { env: { ...process.env, ...env }, stdio: 'pipe' } as const
  execFileSync('sh', ['-ec', steps.join('\n')], options)
}

test('a backup and encryption.key start on a new host, with all keys', async () => {
  const old = join(scratch, 'old')
  const saved = join(scratch, 'saved')
  const DATA_DIR = join(scratch, 'new')
  await used({ DATA_DIR: old })
  const NODE = process.execPath
  sh({ DATA_DIR: old, saved, NODE }, 'mkdir $saved', '"$NODE" bin/cli.ts database backup $saved/signalbox.db')
  sh({ old, saved }, 'cp $old/encryption.key $saved')
  sh({ saved, DATA_DIR }, 'install -d -m 700 $DATA_DIR')
  sh({ saved, DATA_DIR }, 'install -m 600 $saved/signalbox.db $saved/encryption.key $DATA_DIR')
  sh({ DATA_DIR }, 'mkdir -p $DATA_DIR/unwritten $DATA_DIR/interns')
  await using server = startProcess({ DATA_DIR })
  const { data } = await manage(await server.url, 'GET', '/byok')
  assert.equal(data.length, 1)
  assert.doesNotMatch(server.out(), /sb-v1-/)
})

test('a new server on Postgres starts with only the shared encryption.key', needsPostgres, async () => {
  const testStore = await newEmptyTestStore('postgres')
  try {
    const DATABASE_URL = testStore.settings.database_url!
    const [old, DATA_DIR] = [join(scratch, 'first-server'), join(scratch, 'second-server')]
    await used({ DATA_DIR: old, DATABASE_URL })
    sh({ old, DATA_DIR }, 'install -d -m 700 $DATA_DIR', 'install -m 600 $old/encryption.key $DATA_DIR')
    await using server = startProcess({ DATA_DIR, DATABASE_URL })
    const { data } = await manage(await server.url, 'GET', '/byok')
    assert.equal(data.length, 1)
  } finally {
    await testStore.remove()
  }
})

test('a folder with a foreign file is left unchanged, and the file is named', async () => {
  const DATA_DIR = join(scratch, 'documents')
  sh({ DATA_DIR }, 'mkdir $DATA_DIR')
  writeFileSync(join(DATA_DIR, 'encryption.key'), 'a'.repeat(64))
  writeFileSync(join(DATA_DIR, 'thesis.txt'), 'mine')
  await using server = startProcess({ DATA_DIR })
  assert.equal(await server.ended, 1)
  assert.match(server.err(), /contains files of other programs, such as "thesis\.txt"\./)
})
