import { posix } from 'node:path'
import type { SimpleCommand } from './shell-words.ts'

/** The limit of followed `cd` commands. Each word of a later command is resolved in every possible folder. */
const maxFolders = 20

/** The commands of a list, each with its possible working folders; undefined if they are unknown. */
export function addWorkingFolders(
  commands: SimpleCommand[],
  root: string,
): { command: SimpleCommand; folders: string[] | undefined }[] {
  let current = root
  let folders: string[] | undefined = [root]
  return commands.map((command) => {
    const foldersBefore = folders
    if (command.words[0] === 'cd' && folders) {
      const target = command.words.slice(1).find((word) => word === null || !/^-./.test(word))
      if (target != null && target !== '-' && folders.length <= maxFolders) {
        current = posix.resolve(current, target)
        // The earlier folders stay possible, because the `cd` can fail: `cd a || cat b`.
        folders = [...folders, current]
      } else folders = undefined
    }
    return { command, folders: foldersBefore }
  })
}
