import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  allowTraversal,
  type DaemonRecord,
  forgetEnd,
  readDaemonRecord,
  removeHome,
  writeDaemonRecord,
} from './intern-home.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
/** Somebody whom permissions stop. */
const nobody = 65_534

/** Nothing stops root: a test of permissions by root is one by nobody. */
async function asPlainUser(act: () => Promise<void>, ...folders: string[]): Promise<void> {
  if (process.getuid!() !== 0) return act()
  for (const folder of folders) chownSync(folder, nobody, nobody)
  process.seteuid!(nobody)
  try {
    await act()
  } finally {
    process.seteuid!(0)
  }
}

test('a folder that an intern made unwritable goes with the rest', async () => {
  chmodSync(scratch, 0o777)
  const home = join(scratch, 'home')
  const kept = join(home, 'workspace', 'cache', 'kept')
  mkdirSync(kept, { recursive: true })
  for (const folder of [join(home, 'workspace', 'cache'), kept]) chmodSync(folder, 0o555)
  const all = ['', 'workspace', 'workspace/cache', 'workspace/cache/kept'].map((name) => join(home, name))
  await asPlainUser(() => removeHome(home, undefined), ...all)
  assert.equal(existsSync(home), false)
})

test('what an intern’s links lead to stays as it is', async () => {
  const [home, elsewhere] = [join(scratch, 'linked'), join(scratch, 'elsewhere')]
  const locked = join(home, 'locked')
  mkdirSync(join(elsewhere, 'file'), { recursive: true })
  mkdirSync(join(locked, 'sub'), { recursive: true })
  symlinkSync(elsewhere, join(home, 'a'))
  symlinkSync(elsewhere, join(locked, 'b'))
  for (const folder of [elsewhere, locked]) chmodSync(folder, 0o555)
  await asPlainUser(() => removeHome(home, undefined), home, locked, join(locked, 'sub'), elsewhere)
  assert.equal(existsSync(home), false)
  assert.equal(statSync(elsewhere).mode & 0o777, 0o555)
  assert.ok(existsSync(join(elsewhere, 'file')))
})

test('where interns pass through the data folder, no file in it is theirs to read', () => {
  const folder = mkdtempSync(join(scratch, 'data-'))
  const database = join(folder, 'signalbox.db')
  writeFileSync(database, '', { mode: 0o644 })
  allowTraversal(folder)
  assert.deepEqual([statSync(folder).mode & 0o777, statSync(database).mode & 0o777], [0o711, 0o600])
})

test('that all of an intern has been ended holds until something of it is about to be started', () => {
  const home = mkdtempSync(join(scratch, 'ended-'))
  forgetEnd(home)
  assert.equal(readDaemonRecord(home), undefined)
  const record: DaemonRecord = { process: { pid: 1, began: '1' }, socketPath: '/s', token: 't', secret: 'k' }
  writeDaemonRecord(home, { ...record, ended: true })
  assert.equal(readDaemonRecord(home)?.ended, true)
  forgetEnd(home)
  assert.deepEqual(readDaemonRecord(home), record)
})
