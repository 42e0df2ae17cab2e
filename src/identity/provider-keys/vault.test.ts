import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newUuid } from '#platform/core/id.ts'
import { newDb } from '#test/harness/database/databases.ts'
import { bootstrap } from '../accounts/bootstrap.ts'
import { openVault } from './key-file.ts'
import { createVault } from './vault.ts'

const vault = createVault(randomBytes(32))

test('a sealed value opens in its place, and is sealed differently each time', () => {
  const sealed = vault.seal('sk-secret-ü', 'place')
  assert.equal(vault.open(sealed, 'place'), 'sk-secret-ü')
  assert.notEqual(vault.seal('sk-secret-ü', 'place'), sealed)
})

test('a value that was moved, changed, cut or sealed by another key does not open', () => {
  const sealed = vault.seal('secret', 'place')
  const bytes = Buffer.from(sealed, 'base64')
  bytes[bytes.length - 1]! ^= 1
  assert.throws(() => vault.open(sealed, 'elsewhere'))
  assert.throws(() => vault.open(bytes.toString('base64'), 'place'))
  assert.throws(() => vault.open(bytes.subarray(0, 20).toString('base64'), 'place'))
  assert.throws(() => createVault(randomBytes(32)).open(sealed, 'place'))
})

async function place() {
  const store = await newDb('sqlite')
  const data_dir = mkdtempSync(join(tmpdir(), 'signalbox-key-'))
  return {
    db: store.db,
    file: join(data_dir, 'encryption.key'),
    open: (encryption_key_file?: string) => openVault({ db: store.db, settings: { data_dir, encryption_key_file } }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      rmSync(data_dir, { recursive: true })
    },
  }
}

async function keepOne({ db }: Awaited<ReturnType<typeof place>>, sealed_by: string) {
  await bootstrap({ db, now: Date.now, newId: newUuid }, {})
  const { id, organization_id } = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const own = { id: 'c', organization_id, workspace_id: id, provider: 'p', label: '', sealed: '', sealed_by }
  const row = { ...own, name: null, rules: '{}', sort_order: 0, created_by: 'u', created_at: 0, updated_at: 0 }
  await db.query.insertInto('provider_credentials').values(row).execute()
}

test('the key is made once, for its owner alone, and found again', async () => {
  await using at = await place()
  const first = await at.open()
  assert.equal(statSync(at.file).mode & 0o777, 0o600)
  assert.equal((await at.open()).keyName, first.keyName)
  assert.doesNotMatch(readFileSync(at.file, 'utf8'), new RegExp(first.keyName))
})

/** Opens the vault of a folder in a process that cannot write a byte into files meanwhile. */
const openOnFullDisk = `
const { execFileSync } = await import('node:child_process')
const { newDb } = await import('#test/harness/database/databases.ts')
const { openVault } = await import('#identity/provider-keys/key-file.ts')
const limitFiles = (max) => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + max + ':'])
process.on('SIGXFSZ', () => {})
await using store = await newDb('sqlite')
limitFiles(0)
await openVault({ ...store, settings: { data_dir: process.argv[1] } }).catch((error) => process.stdout.write(error.message))
limitFiles('unlimited')
`

test('a first start that cannot write the key leaves no incomplete one', {
  skip: !existsSync('/usr/bin/prlimit'),
}, async () => {
  await using at = await place()
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const { stdout } = spawnSync(process.execPath, ['-e', openOnFullDisk, dirname(at.file)], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.match(stdout, /encryption\.key cannot be written: file too large/)
  assert.deepEqual(readdirSync(dirname(at.file)), [])
  await at.open()
})

test('a lost key that the database needs is not replaced, and the error names the file', async () => {
  await using at = await place()
  const { keyName } = await at.open()
  await keepOne(at, keyName)
  rmSync(at.file)
  await assert.rejects(at.open(), {
    name: 'UserFacingError',
    message: new RegExp(`${at.file} is missing.*cannot be read`),
  })
})

test('another key than the one in use is refused, and so is a file that holds none', async () => {
  await using at = await place()
  await keepOne(at, 'a-key-name')
  writeFileSync(at.file, 'ab'.repeat(32))
  await assert.rejects(at.open(), { name: 'UserFacingError', message: /is not the one/ })
  writeFileSync(at.file, 'hello')
  await assert.rejects(at.open(), { name: 'UserFacingError', message: /64 hexadecimal digits/ })
})

test('a file of the operator’s is read and never made', async () => {
  await using at = await place()
  await assert.rejects(at.open('/nowhere/key'), { name: 'UserFacingError', message: /nowhere\/key is missing/ })
  const own = `${at.file}.own`
  writeFileSync(own, 'ab'.repeat(32))
  assert.equal((await at.open(own)).keyName, createVault(Buffer.alloc(32, 0xab)).keyName)
})
