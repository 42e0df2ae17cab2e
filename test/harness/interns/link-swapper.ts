import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// A hostile agent's attack on its workspace, as a separate process: it repeatedly replaces folders and files by links
// to the outside, including files that appear while the service works with them.
const [workspace = '', outside = ''] = process.argv.slice(2)
const secret = join(outside, 'secret')

const quietly = (act: Promise<unknown>) => act.catch(() => {})

/** A folder that is a link to outside half of the time. */
async function swapFolder(name: string): Promise<void> {
  const [folder, aside] = [join(workspace, name), join(workspace, `${name}-aside`)]
  await quietly(mkdir(join(folder, 'deep'), { recursive: true }))
  await quietly(writeFile(join(folder, 'secret'), 'harmless', { flag: 'wx' }))
  await quietly(rename(folder, aside))
  await quietly(symlink(outside, folder))
  await quietly(unlink(folder))
  await quietly(rm(folder, { recursive: true }))
  await quietly(rename(aside, folder))
}

/** A file that is a link, a hard link or a pipe some of the time. */
async function swapFile(name: string): Promise<void> {
  const file = join(workspace, name)
  for (const put of [
    () => symlink(secret, file),
    () => link(secret, file),
    () => writeFile(file, 'harmless', { flag: 'wx' }),
  ]) {
    await quietly(put())
    await quietly(rm(file, { recursive: true }))
  }
}

/**
 * Drafts and folders that the service creates while it writes and unpacks. The folder stays open: if it is a link by
 * then, this process itself would create its links outside.
 */
async function swapDrafts(path: string): Promise<void> {
  const held = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => undefined)
  if (!held) return
  await swapDraftsIn(`/proc/self/fd/${held.fd}`)
  await held.close()
}

async function swapDraftsIn(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/\.(draft|unpacking)$/.test(name)) continue
    const draft = join(folder, name)
    const isFolder = (await lstat(draft).catch(() => undefined))?.isDirectory()
    if (!isFolder) {
      await quietly(unlink(draft))
      await quietly(symlink(secret, draft))
      continue
    }
    await quietly(rename(join(draft, 'sub'), join(draft, `sub-${Math.random()}`)))
    await quietly(symlink(outside, join(draft, 'sub')))
    if (Math.random() < 0.2) {
      await quietly(rename(draft, `${draft}-aside`))
      await quietly(symlink(outside, draft))
    }
  }
}

const forever = async (act: () => Promise<void>) => {
  for (;;) await act()
}
process.stdout.write('swapping\n')
void forever(() => swapFolder('d'))
void forever(() => swapFolder('e'))
void forever(() => swapFile('f'))
void forever(() => swapDrafts(workspace))
void forever(() => swapDrafts(join(workspace, 'd')))
