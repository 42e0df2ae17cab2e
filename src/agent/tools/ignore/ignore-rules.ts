import type { OpenFolder } from '#platform/files/open-folder.ts'
import { IgnoreFile } from './ignore-file.ts'

/** An ignore file and those of its parent folders. `depth` is the number of names in its folder's path. */
type IgnoreChain = { file: IgnoreFile; depth: number; above: IgnoreChain | undefined }

/** Why an entry is not walked. */
export type Exclusion = 'ignored' | 'hidden'

const maxBytes = 256 * 1024

/**
 * The rules of ripgrep for entries that are not searched: hidden ones, and those that `.gitignore`, `.ignore` or
 * `.git/info/exclude` name. `.gitignore` also applies in folders without a repository. The rules of a repository do not
 * apply in a repository within it.
 */
export class IgnoreRules {
  readonly #git: IgnoreChain | undefined
  readonly #ignore: IgnoreChain | undefined

  private constructor(git?: IgnoreChain, ignore?: IgnoreChain) {
    this.#git = git
    this.#ignore = ignore
  }

  static readonly none = new IgnoreRules()

  /** The rules for the entries of a folder, given those for the folder itself. */
  enter(folder: OpenFolder, entries: { name: string }[], depth: number): IgnoreRules {
    const has = (name: string) => entries.some((entry) => entry.name === name)
    const isRepository = has('.git')
    const excludes = isRepository ? readExcludes(folder) : ''
    const gitignore = has('.gitignore') ? readText(folder, '.gitignore') : ''
    const ignoreText = has('.ignore') ? readText(folder, '.ignore') : ''
    if (!isRepository && !gitignore && !ignoreText) return this
    const above = isRepository ? undefined : this.#git
    const git = gitignore || excludes ? { file: new IgnoreFile(`${excludes}\n${gitignore}`), depth, above } : above
    const ignore = ignoreText ? { file: new IgnoreFile(ignoreText), depth, above: this.#ignore } : this.#ignore
    return new IgnoreRules(git, ignore)
  }

  /** Returns why an entry is excluded, if it is. @param names the names in the entry's path */
  findExclusion(names: string[], isFolder: boolean): Exclusion | undefined {
    const isIgnored = isIgnoredBy(this.#ignore, names, isFolder) ?? isIgnoredBy(this.#git, names, isFolder)
    if (isIgnored) return 'ignored'
    return isIgnored === undefined && names.at(-1)?.startsWith('.') ? 'hidden' : undefined
  }
}

function isIgnoredBy(chain: IgnoreChain | undefined, names: string[], isFolder: boolean): boolean | undefined {
  for (let each = chain; each; each = each.above) {
    const isIgnored = each.file.ignores(names.slice(each.depth), isFolder)
    if (isIgnored !== undefined) return isIgnored
  }
  return undefined
}

function readExcludes(folder: OpenFolder): string {
  try {
    using git = folder.openSubfolder('.git')
    using info = git.openSubfolder('info')
    return readText(info, 'exclude')
  } catch {
    return ''
  }
}

function readText(folder: OpenFolder, name: string): string {
  const bytes = Buffer.alloc(maxBytes)
  try {
    const text = bytes.toString('utf8', 0, folder.readStart(name, bytes))
    // Like git, ignores the byte order mark that editors of Windows write.
    return text.replace(/^\ufeff/, '')
  } catch {
    return ''
  }
}
