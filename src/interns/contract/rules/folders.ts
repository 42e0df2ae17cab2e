import { posix } from 'node:path'
import type { SimpleCommand } from './shell-words.ts'

/** The limit of followed `cd` commands. */
const maxFolders = 20

/** The commands of a list, each with its possible working folders; undefined if they are unknown. */
export function inFolders(
  commands: SimpleCommand[],
  root: string,
): { command: SimpleCommand; folders: string[] | undefined }[] {
  let [current, folders]: [string, string[] | undefined] = [root, [root]]
  return commands.map((command) => {
    const before = folders
    if (command.words[0] === 'cd' && folders) {
      const to = command.words.slice(1).find((word) => word === null || !/^-./.test(word))
      const isKnown = to != null && to !== '-' && folders.length <= maxFolders
      current = isKnown ? posix.resolve(current, to) : current
      // The `cd` can fail: `cd a || cat b`.
      folders = isKnown ? [...folders, current] : undefined
    }
    return { command, folders: before }
  })
}
