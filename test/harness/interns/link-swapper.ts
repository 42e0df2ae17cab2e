import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// A hostile agent's attack on its workspace, as a separate process: it repeatedly replaces folders and files by links
// to the outside, including files that appear while the service works with them.
const [workspace = '', outside = ''] = process.argv.slice(2)
const secret = join(outside, 'secret')

const ignoreErrors = (operation: Promise<unknown>) => operation.catch(() => {})

/** A folder that is a link to outside half of the time. */
async function swapFolder(name: string): Promise<void> {
  const [folder, aside] = [join(workspace, name), join(workspace, `${name}-aside`)]
  await ignoreErrors(mkdir(join(folder, 'deep'), { recursive: true }))
  await ignoreErrors(writeFile(join(folder, 'secret'), 'harmless', { flag: 'wx' }))
  await ignoreErrors(rename(folder, aside))
  await ignoreErrors(symlink(outside, folder))
  await ignoreErrors(unlink(folder))
  await ignoreErrors(rm(folder, { recursive: true }))
  await ignoreErrors(rename(aside, folder))
}

/** A file that is a link, a hard link or a pipe some of the time. */
async function swapFile(name: string): Promise<void> {
  const file = join(workspace, name)
  for (const create of [
    () => symlink(secret, file),
    () => link(secret, file),
    () => writeFile(file, 'harmless', { flag: 'wx' }),
  ]) {
    await ignoreErrors(create())
    await ignoreErrors(rm(file, { recursive: true }))
  }
}

/**
 * Drafts and folders that the service creates while it writes and unpacks. The folder stays open: if it is a link by
 * then, this process itself would create its links outside.
 */
async function swapDrafts(path: string): Promise<void> {
  const openFolder = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => undefined)
  if (!openFolder) return
  await swapDraftsIn(`/proc/self/fd/${openFolder.fd}`)
  await openFolder.close()
}

async function swapDraftsIn(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/\.(draft|unpacking)$/.test(name)) continue
    const draft = join(folder, name)
    const isFolder = (await lstat(draft).catch(() => undefined))?.isDirectory()
    if (!isFolder) {
      await ignoreErrors(unlink(draft))
      await ignoreErrors(symlink(secret, draft))
      continue
    }
    await ignoreErrors(rename(join(draft, 'sub'), join(draft, `sub-${Math.random()}`)))
    await ignoreErrors(symlink(outside, join(draft, 'sub')))
    if (Math.random() < 0.2) {
      await ignoreErrors(rename(draft, `${draft}-aside`))
      await ignoreErrors(symlink(outside, draft))
    }
  }
}

const repeatForever = async (step: () => Promise<void>) => {
  for (;;) await step()
}
process.stdout.write('swapping\n')
void repeatForever(() => swapFolder('d'))
void repeatForever(() => swapFolder('e'))
void repeatForever(() => swapFile('f'))
void repeatForever(() => swapDrafts(workspace))
void repeatForever(() => swapDrafts(join(workspace, 'd')))
