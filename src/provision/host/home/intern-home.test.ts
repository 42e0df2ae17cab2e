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
import { clearEnded, type DaemonRecord, readDaemonRecord, writeDaemonRecord } from './daemon-record.ts'
import { allowTraversal, findHome } from './intern-home.ts'
import { removeHome } from './remove-home.ts'

const scratch = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
/** A user that permissions apply to. */
const nobody = 65_534

/** Runs as an unprivileged user, because permissions do not apply to root. */
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

test('removeHome removes folders that an intern made read-only', async () => {
  chmodSync(scratch, 0o777)
  const home = join(scratch, 'home')
  const nested = join(home, 'workspace', 'cache', 'nested')
  mkdirSync(nested, { recursive: true })
  for (const folder of [join(home, 'workspace', 'cache'), nested]) chmodSync(folder, 0o555)
  const all = ['', 'workspace', 'workspace/cache', 'workspace/cache/nested'].map((name) => join(home, name))
  await asPlainUser(() => removeHome(home, undefined), ...all)
  assert.equal(existsSync(home), false)
})

test('removeHome does not follow links', async () => {
  const [home, target] = [join(scratch, 'linked'), join(scratch, 'target')]
  const locked = join(home, 'locked')
  mkdirSync(join(target, 'file'), { recursive: true })
  mkdirSync(join(locked, 'sub'), { recursive: true })
  symlinkSync(target, join(home, 'a'))
  symlinkSync(target, join(locked, 'b'))
  for (const folder of [target, locked]) chmodSync(folder, 0o555)
  await asPlainUser(() => removeHome(home, undefined), home, locked, join(locked, 'sub'), target)
  assert.equal(existsSync(home), false)
  assert.equal(statSync(target).mode & 0o777, 0o555)
  assert.ok(existsSync(join(target, 'file')))
})

test('allowTraversal makes the files of the data folder private', () => {
  const folder = mkdtempSync(join(scratch, 'data-'))
  const database = join(folder, 'signalbox.db')
  writeFileSync(database, '', { mode: 0o644 })
  allowTraversal(folder)
  assert.deepEqual([statSync(folder).mode & 0o777, statSync(database).mode & 0o777], [0o711, 0o600])
})

test('a record says that all processes have ended until forgetEnd', () => {
  const home = mkdtempSync(join(scratch, 'ended-'))
  clearEnded(home)
  assert.equal(readDaemonRecord(home), undefined)
  const record: DaemonRecord = { process: { pid: 1, began: '1' }, socketPath: '/s', token: 't', secret: 'k' }
  writeDaemonRecord(home, { ...record, ended: true })
  assert.equal(readDaemonRecord(home)?.ended, true)
  clearEnded(home)
  assert.deepEqual(readDaemonRecord(home), record)
})

test('findHome prefers the stored folder, unless the data folder was moved', () => {
  const [first, second] = [join(scratch, 'first', 'interns'), join(scratch, 'second', 'interns')]
  mkdirSync(join(second, 'ada'), { recursive: true })
  assert.equal(findHome(first, 'ada', null), join(first, 'ada'))
  assert.equal(findHome(first, 'ada', join(second, 'ada')), join(second, 'ada'), 'another server started it')
  assert.equal(findHome(second, 'ada', join(first, 'ada')), join(second, 'ada'), 'its folder was moved')
  assert.equal(findHome(second, 'new', join(first, 'new')), join(second, 'new'), 'the data folder was moved without it')
  assert.equal(findHome(first, 'new', join(second, 'new')), join(second, 'new'), 'another server is about to start it')
})
