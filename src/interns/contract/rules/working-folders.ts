import { posix } from 'node:path'
import type { SimpleCommand, Word } from './shell-words.ts'
import { programOf } from './wrapper-commands.ts'

/** The limit of followed folders of a command. Each of its words is resolved in every possible folder. */
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
    return { command, folders: addOptionFolders(foldersBefore, command.words) }
  })
}

/** Adds the folders in which a program works by its options: `git -C a -C b` works in `a/b`. Undefined if they are unknown. */
export function addOptionFolders(folders: string[] | undefined, words: Word[]): string[] | undefined {
  const targets = [...listTarTargets(words), ...words.flatMap((word, at) => listTargets(word, words[at + 1]))]
  if (!folders || targets.length === 0) return folders
  if (targets.includes(null) || folders.length * (1 + targets.length) > 2 * maxFolders) return undefined
  const added = folders.flatMap((folder) => {
    let current = folder
    return targets.map((target) => (current = posix.resolve(current, target!)))
  })
  return [...new Set([...folders, ...added])]
}

/** Options of many programs, which some accept abbreviated. For others, they add a folder that is not used. */
const folderOptions = ['directory', 'target-directory', 'chdir', 'prefix', 'cwd', 'work-tree']
const shortestAbbreviation = 2

/** The folder that an option names, in the same or the next word. */
function listTargets(word: Word, next: Word | undefined): Word[] {
  if (word === null) return []
  const [, short] = /^-C(.*)$/s.exec(word) ?? []
  const [, long = '', value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? []
  const isLong = long.length >= shortestAbbreviation && folderOptions.some((option) => option.startsWith(long))
  if (short === undefined && !isLong) return []
  const target = short || value
  return target !== undefined ? [target] : next !== undefined ? [next] : []
}

/** The letters of tar whose values are separate words, in the order of the letters: `tar cfC out.tar folder`. */
const tarValues = /[bfgCFHIKLNTVX]/g

/** The folder in options of tar that share one word, with or without a dash. */
function listTarTargets([program, ...words]: Word[]): Word[] {
  if (program == null || !/^(?:g|bsd)?tar$/i.test(programOf(program))) return []
  return words.flatMap((word, at): Word[] => {
    const [, dash, before = '', attached] = /^(-?)([A-Za-z]+)C(.*)$/s.exec(word ?? '') ?? []
    if (dash === undefined || (dash === '' && at > 0)) return []
    if (dash === '-' && attached) return [attached]
    const valuesBefore = dash === '' ? (before.match(tarValues)?.length ?? 0) : 0
    const target = words[at + 1 + valuesBefore]
    return target === undefined ? [] : [target]
  })
}
