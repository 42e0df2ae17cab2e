import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDataDir } from './data-dir.ts'

/** A folder for data folders, removed after use. */
function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'signalbox-data-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a folder is created with its parents, for its owner only', () => {
  using place = newFolder()
  const taken = openDataDir(join(place.path, 'a', 'b'), { exclusive: true, servesRequests: true })
  assert.equal(taken.path, join(place.path, 'a', 'b'))
  for (const name of ['a', 'a/b']) assert.equal(modeOf(join(place.path, name)), 0o700)
  assert.equal(modeOf(join(taken.path, 'README.txt')), 0o600)
  assert.match(readFileSync(join(taken.path, 'README.txt'), 'utf8'), /Back it up/)
  assert.equal(readFileSync(join(taken.path, 'server.pid'), 'utf8'), `${process.pid}\n`)
  taken.release()
})

test('a second server is refused with the owner’s name; after the release it is free', () => {
  using place = newFolder()
  const taken = openDataDir(place.path, { exclusive: true, servesRequests: true })
  const openAgain = () => openDataDir(place.path, { exclusive: true, servesRequests: true })
  assert.throws(openAgain, {
    name: 'UserFacingError',
    message: new RegExp(`Another Signalbox \\(process ${process.pid}\\)`),
  })
  rmSync(join(place.path, 'server.pid'))
  assert.throws(openAgain, { message: /^Another Signalbox is using/ })
  taken.release()
  openAgain().release()
  assert.equal(existsSync(join(place.path, 'server.pid')), false)
})

test('where the database is elsewhere, servers share the folder', () => {
  using place = newFolder()
  const one = openDataDir(place.path, { exclusive: false, servesRequests: true })
  assert.equal(one.path, place.path)
  openDataDir(place.path, { exclusive: false, servesRequests: true }).release()
  one.release()
})

test('a restored folder is accepted; one with other files is refused unchanged', () => {
  using place = newFolder()
  mkdirSync(join(place.path, 'interns'))
  writeFileSync(join(place.path, 'signalbox.db'), '')
  writeFileSync(join(place.path, 'thesis.doc'), '')
  assert.throws(() => openDataDir(place.path, { exclusive: true, servesRequests: true }), {
    message: /such as "thesis.doc"/,
  })
  assert.equal(existsSync(join(place.path, 'signalbox.lock')), false)
  rmSync(join(place.path, 'thesis.doc'))
  openDataDir(place.path, { exclusive: true, servesRequests: true }).release()
  writeFileSync(join(place.path, 'thesis.doc'), '')
  openDataDir(place.path, { exclusive: true, servesRequests: true }).release()
})

test('an invalid folder is refused with the reason', () => {
  using place = newFolder()
  writeFileSync(join(place.path, 'file'), '')
  const take = (path: string) => () => openDataDir(path, { exclusive: true, servesRequests: true })
  assert.throws(take(join(place.path, 'file')), { name: 'UserFacingError', message: /it is not a folder/ })
  assert.throws(take(join(place.path, 'file', 'below')), { message: /it is not a folder/ })
  assert.throws(take('/proc/no-such-folder'), { message: /no folder can be created there/ })
})

/** Permissions do not restrict root, so this test runs as another user. */
function asPlainUser(act: () => void, folder: string): void {
  if (process.getuid!() !== 0) return act()
  chownSync(folder, 65_534, 65_534)
  process.seteuid!(65_534)
  try {
    act()
  } finally {
    process.seteuid!(0)
  }
}

test('an unwritable or foreign file is reported, and not as another server', () => {
  using place = newFolder()
  const take = () => openDataDir(place.path, { exclusive: true, servesRequests: true })
  const lock = join(place.path, 'signalbox.lock')
  take().release()
  const expected = { name: 'UserFacingError', message: /^The data folder .* cannot be used: .*\. Set DATA_DIR/ }
  chmodSync(lock, 0o000)
  asPlainUser(() => assert.throws(take, expected), place.path)
  chmodSync(lock, 0o600)
  mkdirSync(join(place.path, 'server.pid'))
  assert.throws(take, { name: 'UserFacingError', message: /cannot be used: \S+server\.pid: .*\. Set DATA_DIR/ })
  rmSync(join(place.path, 'server.pid'), { recursive: true })
  take().release()
  writeFileSync(lock, 'this is not a database, and long enough to be looked at'.repeat(50))
  assert.throws(take, expected)
})

test('a start on a full disk reports the missing space, not a missing permission', (t) => {
  using place = newFolder()
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place.path])
  if (mount.status !== 0) return t.skip('this user may not mount')
  try {
    openDataDir(place.path, { exclusive: true, servesRequests: true }).release()
    assert.throws(() => writeFileSync(join(place.path, 'signalbox.db'), Buffer.alloc(65_536)), { code: 'ENOSPC' })
    const take = () => openDataDir(place.path, { exclusive: true, servesRequests: true })
    assert.throws(take, { name: 'UserFacingError', message: /the disk is full\. Free disk space, or set DATA_DIR/ })
  } finally {
    spawnSync('umount', [place.path])
  }
})
