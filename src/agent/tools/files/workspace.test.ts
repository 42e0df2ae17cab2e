import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openConfined } from '#platform/files/confined-folder.ts'
import { newFolder } from '#test/harness/interns/scripted-agent.ts'
import { readBytes, readEntries, writeText } from './workspace.ts'

/** A workspace in a folder that also contains a secret. */
async function setUp() {
  const folder = await newFolder()
  const [inside, outside] = [join(folder.path, 'inside'), join(folder.path, 'outside')]
  await Promise.all([mkdir(inside), mkdir(outside)])
  await writeFile(join(outside, 'secret'), 'secret')
  const workspace = await openConfined(inside)
  const read = async (path: string) => (await readBytes(workspace, path, 1000)).bytes.toString()
  return { inside, outside, workspace, read, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('names that lead out of the workspace are refused', async () => {
  await using at = await setUp()
  for (const path of ['../outside/secret', '/etc/passwd', join(at.outside, 'secret'), '/proc/self/environ', '..']) {
    await assert.rejects(at.read(path), { message: `${path} is outside the workspace.` })
    await assert.rejects(writeText(at.workspace, path, 'x'), /is outside the workspace/)
  }
  assert.equal(await readFile(join(at.outside, 'secret'), 'utf8'), 'secret')
})

test('links that lead out are refused: a file, a folder, a chain, and one to nothing', async () => {
  await using at = await setUp()
  await symlink('../outside/secret', join(at.inside, 'file'))
  await symlink(at.outside, join(at.inside, 'folder'))
  await symlink('folder', join(at.inside, 'chain'))
  await symlink(join(at.outside, 'new'), join(at.inside, 'nothing'))
  for (const path of ['file', 'folder/secret', 'chain/secret', 'nothing', 'folder/new']) {
    await assert.rejects(at.read(path), /outside the workspace|link to nothing/)
    await assert.rejects(writeText(at.workspace, path, 'x'), /outside the workspace|link to nothing/)
  }
  await assert.rejects(readEntries(at.workspace, 'folder'), /outside the workspace/)
  assert.equal(await readFile(join(at.outside, 'secret'), 'utf8'), 'secret')
  await assert.rejects(stat(join(at.outside, 'new')))
})

test('links within the workspace are followed', async () => {
  await using at = await setUp()
  await writeText(at.workspace, 'deep/er/file', 'text')
  await symlink('deep/er', join(at.inside, 'short'))
  assert.equal(await at.read('short/file'), 'text')
  await writeText(at.workspace, 'short/file', 'new')
  assert.equal(await readFile(join(at.inside, 'deep/er/file'), 'utf8'), 'new')
})

test('a folder that is repeatedly replaced by a link never leaks a file', async () => {
  await using at = await setUp()
  await mkdir(join(at.inside, 'folder'))
  await writeFile(join(at.inside, 'folder/secret'), 'harmless')
  let swapping = true
  const [folder, aside] = [join(at.inside, 'folder'), join(at.inside, 'aside')]
  // Writing creates folders, also at the moment when they were removed. The test removes the created folders again. If
  // more are created meanwhile, the folder cannot be restored and is removed once more.
  const clear = () => rm(folder, { recursive: true, force: true }).catch(() => {})
  const swap = (async () => {
    while (swapping) {
      await rename(folder, aside)
      await symlink(at.outside, folder).catch(() => {})
      await clear()
      while (
        !(await rename(aside, folder).then(
          () => true,
          () => false,
        ))
      )
        await clear()
    }
  })()
  for (let round = 0; round < 1_000; round++) {
    assert.notEqual(await at.read('folder/secret').catch(() => ''), 'secret')
    await writeText(at.workspace, 'folder/made', 'x').catch(() => {})
  }
  swapping = false
  await swap
  assert.deepEqual(
    (await readEntries(await openConfined(at.outside), '.')).map(({ name }) => name),
    ['secret'],
  )
})

test('files other than regular ones are refused at once, also pipes', { timeout: 600_000 }, async () => {
  await using at = await setUp()
  execFileSync('mkfifo', [join(at.inside, 'pipe')])
  await assert.rejects(at.read('pipe'), { message: 'pipe is not a regular file.' })
  await assert.rejects(at.read('.'), { message: '. is a folder.' })
  await assert.rejects(at.read('none'), { message: 'none does not exist.' })
})

test('a file that is overwritten keeps its permissions', async () => {
  await using at = await setUp()
  await writeFile(join(at.inside, 'run.sh'), 'old', { mode: 0o755 })
  assert.deepEqual(await writeText(at.workspace, 'run.sh', 'new'), { made: false })
  assert.equal((await stat(join(at.inside, 'run.sh'))).mode & 0o777, 0o755)
  assert.equal((await readEntries(at.workspace, '.')).length, 1)
})
