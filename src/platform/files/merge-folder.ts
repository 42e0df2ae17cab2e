import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConfinedFolder, inFolder, within } from './confined-folder.ts'
import { FileError, saidOf } from './file-error.ts'
import { namesIn } from './list-folder.ts'

/**
 * Moves what is in one folder into another, within the confined folder: what is missing there as a whole, files over
 * files. `look` only tells whether that can be done. @throws FileError naming what stands in the way.
 */
export async function mergeFolder(
  confined: ConfinedFolder,
  { from, to }: { from: string; to: string },
  what: 'look' | 'move',
): Promise<void> {
  const both: string[] = []
  await inFolder(confined, join(confined.root, from), (left) =>
    inFolder(confined, join(confined.root, to), async (right) => {
      for await (const name of namesIn(left)) {
        const [fresh, old] = [within(left, name), within(right, name)]
        const [coming, there] = [await lstat(fresh), await lstat(old).catch(() => undefined)]
        if (coming.isDirectory() && there?.isDirectory()) both.push(name.toString())
        else if (there && (coming.isDirectory() || there.isDirectory())) {
          throw saidOf(join(to, name.toString()), new FileError('conflict', inTheWay(coming.isDirectory())))
        } else if (what === 'move') await rename(fresh, old)
      }
    }),
  )
  for (const name of both) await mergeFolder(confined, { from: join(from, name), to: join(to, name) }, what)
}

const inTheWay = (isFolder: boolean) =>
  isFolder
    ? 'is a folder in the archive, and something else here'
    : 'is a folder here, and something else in the archive'
