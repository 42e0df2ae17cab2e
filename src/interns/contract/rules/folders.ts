import { posix } from 'node:path'
import type { SimpleCommand } from './shell-words.ts'

/** More `cd` than anybody needs are not followed. */
const most = 20

/** The commands of a list, each with the folders that it may be run in; undefined where that is not known. */
export function inFolders(
  commands: SimpleCommand[],
  root: string,
): { command: SimpleCommand; folders: string[] | undefined }[] {
  let [here, folders]: [string, string[] | undefined] = [root, [root]]
  return commands.map((command) => {
    const before = folders
    if (command.words[0] === 'cd' && folders) {
      const to = command.words.slice(1).find((word) => word === null || !/^-./.test(word))
      const isKnown = to != null && to !== '-' && folders.length <= most
      here = isKnown ? posix.resolve(here, to) : here
      // It may have failed: `cd a || cat b`.
      folders = isKnown ? [...folders, here] : undefined
    }
    return { command, folders: before }
  })
}
