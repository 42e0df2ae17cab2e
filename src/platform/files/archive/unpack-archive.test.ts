import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { openConfined } from '../confined-folder.ts'
import { packFolder } from './pack-folder.ts'
import { unpackArchive } from './unpack-archive.ts'

const limits = { maxBytes: 1024 ** 2, maxEntries: 50 }

function newFolder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-unpack-')))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('an archive that is not compressed is refused with the reason', async () => {
  using folder = newFolder()
  async function* body() {
    yield Buffer.alloc(5000, 'A')
  }
  const unpacking = unpackArchive(await openConfined(folder.path), '', { body: body(), limits })
  await assert.rejects(unpacking, /cannot be decompressed \(incorrect header check\)/)
})

async function unpacked(folder: string, names: string[]) {
  const entries = names.map((name) => ({ header: { name, size: 0, type: 'file' as const }, body: '' }))
  return unpackTar(folder, await packTar(entries))
}

async function unpackTar(folder: string, ...parts: Uint8Array[]) {
  async function* body() {
    for (const part of parts) yield gzipSync(part)
  }
  return unpackArchive(await openConfined(folder), '', { body: body(), limits })
}

/** Attributes of the next entry, which are an entry of an archive themselves. */
async function attributes(bytes: number): Promise<Uint8Array> {
  const pax = { comment: 'a'.repeat(bytes) }
  const archive = await packTar([{ header: { name: 'f', size: 0, type: 'file', pax }, body: '' }])
  // Without the entry and the end of the archive.
  return archive.subarray(0, Math.ceil((bytes + 512) / 512) * 512 + 512)
}
const deep = (levels: number, name: string) => [...Array.from({ length: levels - 1 }, () => 'd'), name].join('/')

test('folders that an archive brings along without naming them count as entries', async () => {
  using folder = newFolder()
  assert.equal((await unpacked(folder.path, ['a/b/c/f', 'a/b/c/g'])).files, 2)
  const many = ['x', 'y', 'z'].map((top) => `${top}/${deep(20, 'f')}`)
  await assert.rejects(unpacked(folder.path, many), /contains more than 50 entries/)
  assert.deepEqual(readdirSync(folder.path), ['a'])
})

test('attributes of entries are bounded, although they compress well', async () => {
  using folder = newFolder()
  const file = await packTar([{ header: { name: 'f', size: 1, type: 'file' }, body: 'x' }])
  const part = await attributes(4 * 1024 ** 2)
  assert.equal((await unpackTar(folder.path, part, part, file)).files, 1)
  await assert.rejects(
    unpackTar(folder.path, ...Array(9).fill(part), file),
    /headers, attributes and padding take more than 32 MiB/,
  )
  assert.deepEqual(readdirSync(folder.path), ['f'])
})

/** Packs a folder with GNU tar. */
const packedByTar = (folder: string, ...options: string[]) =>
  execFileSync('tar', ['-C', folder, ...options, '-cf', '-', '.'], { maxBuffer: 64 * 1024 ** 2 })

test('archives of GNU tar are unpacked in each of its formats, with long names', async () => {
  using source = newFolder()
  const path = join(source.path, 'a'.repeat(120), 'b'.repeat(90))
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'é'), Buffer.alloc(100_000, 'S'))
  writeFileSync(join(path, 'empty'), '')
  for (const format of ['gnu', 'oldgnu', 'posix', 'pax']) {
    using folder = newFolder()
    const tar = packedByTar(source.path, `--format=${format}`)
    const pieces = Array.from({ length: Math.ceil(tar.length / 777) }, (_, at) =>
      tar.subarray(at * 777, (at + 1) * 777),
    )
    assert.equal((await unpackTar(folder.path, ...pieces)).files, 2, format)
    const copy = join(folder.path, 'a'.repeat(120), 'b'.repeat(90), 'é')
    assert.ok(readFileSync(copy).equals(Buffer.alloc(100_000, 'S')), format)
  }
})

test('a sparse file is refused, because its content would be that of its map', async () => {
  using source = newFolder()
  const content = Buffer.alloc(3 * 1024 ** 2)
  content.write('text', 2 * 1024 ** 2)
  writeFileSync(join(source.path, 'sparse'), '')
  execFileSync('dd', ['of=sparse', 'bs=64k', 'conv=sparse'], { cwd: source.path, input: content, stdio: 'pipe' })
  for (const format of ['gnu', 'oldgnu', 'posix']) {
    using folder = newFolder()
    const tar = packedByTar(source.path, '--sparse', `--format=${format}`)
    await assert.rejects(
      unpackTar(folder.path, tar),
      /is a sparse file; create the archive without "tar --sparse"/,
      format,
    )
    assert.deepEqual(readdirSync(folder.path), [])
  }
})

test('entries that are too deep are refused, and omitted from archives', async () => {
  using folder = newFolder()
  await assert.rejects(unpacked(folder.path, [deep(101, 'f')]), /is more than 100 folders deep/)
  mkdirSync(join(folder.path, deep(101, 'f')), { recursive: true })
  const pieces = await Array.fromAsync(
    await packFolder(await openConfined(folder.path), '', { ...limits, maxEntries: 500 }),
  )
  assert.match(gunzipSync(Buffer.concat(pieces)).toString('latin1'), /f: is more than 100 folders deep/)
})
