import { type Body, limitBytes } from './bounded-body.ts'
import type { ConfinedFolder } from './confined-folder.ts'
import { replaceFile } from './replace-file.ts'

/** Writes a file from a stream. The file is unchanged if the stream fails. */
export async function writeStream(
  confined: ConfinedFolder,
  path: string,
  { body, maxBytes, replace }: { body: Body; maxBytes: number; replace: boolean },
): Promise<{ made: boolean; size: number }> {
  let size = 0
  const { made } = await replaceFile(confined, path, {
    replace,
    writeContent: async (temporary) => {
      for await (const piece of limitBytes(body, maxBytes)) {
        await temporary.writeFile(piece)
        size += piece.length
      }
    },
  })
  return { made, size }
}
