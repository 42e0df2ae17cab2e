import { basename } from 'node:path'
import { FileError } from '#platform/files/file-error.ts'
import { printableLine } from '#platform/text/printable.ts'
import { openWalk } from './walk.ts'
import { readBytes, type Workspace } from './workspace.ts'

const limits = { scannedEntries: 20_000, depth: 20, suggestions: 5, indexBytes: 64 * 1024 * 1024 }

/** A typing error in a shorter name gives a name that means something else. */
const minLengthWithTypo = 5
/** Less than a step of `nameDistance`, even if a path has many folders. */
const sharedFolderBonus = 0.01

/** The distance of names that are not similar. */
const unrelatedDistance = 9

/** Runs `act`. If the file is missing or outside the workspace, the error suggests files with similar names. */
export async function withSuggestions<T>(workspace: Workspace, path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof FileError) || (error.kind !== 'unknown' && error.kind !== 'outside')) throw error
    const candidates = await findSimilarFiles(workspace, path).catch(() => [])
    const hints = [formatSuggestions(candidates), await restoreHint(workspace, path)].filter(Boolean)
    throw new Error([error.message, ...hints].join(' '), { cause: error })
  }
}

const formatSuggestions = (paths: string[]) =>
  paths.length === 0 ? '' : `${paths.length === 1 ? 'There is' : 'There are'} ${paths.map(printableLine).join(', ')}.`

/** Returns files of the workspace with a similar name, the most similar first. */
async function findSimilarFiles(workspace: Workspace, path: string): Promise<string[]> {
  const found: { path: string; distance: number }[] = []
  let scannedCount = 0
  for (const entry of await openWalk(workspace, '.', { maxDepth: limits.depth, includeHidden: true })) {
    if (++scannedCount > limits.scannedEntries) break
    if (entry.kind !== 'file' && entry.kind !== 'folder') continue
    const distance = nameDistance(basename(path), entry.name)
    // Common folders only decide between names of the same distance.
    if (distance < unrelatedDistance)
      found.push({ path: entry.path, distance: distance - sharedFolders(path, entry.path) * sharedFolderBonus })
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limits.suggestions)
    .map((each) => each.path)
}

/** 0: same name; 1: other case or separators; 2: other extension; 3: one typing error. */
function nameDistance(requested: string, name: string): number {
  if (requested === name) return 0
  const normalize = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '')
  const one = normalize(requested)
  const other = normalize(name)
  if (one === other) return 1
  const stem = (text: string) => text.replace(/(?<=.)\.[^.]*$/, '')
  if (stem(one) === stem(other)) return 2
  return Math.min(one.length, other.length) >= minLengthWithTypo && hasOneTypo(one, other) ? 3 : unrelatedDistance
}

/** Returns whether the texts differ in one place, by at most two letters. */
function hasOneTypo(one: string, other: string): boolean {
  let prefix = 0
  let suffix = 0
  const shorter = Math.min(one.length, other.length)
  while (prefix < shorter && one[prefix] === other[prefix]) prefix++
  while (suffix < shorter - prefix && one.at(-1 - suffix) === other.at(-1 - suffix)) suffix++
  return Math.max(one.length, other.length) - prefix - suffix <= 2
}

/** Counts the folder names that both paths contain. */
function sharedFolders(requested: string, path: string): number {
  const folders = new Set(requested.split('/').slice(0, -1))
  return path.split('/').filter((part) => folders.has(part)).length
}

/** Returns a hint if the file was deleted and is still in the index of a repository in the workspace. */
async function restoreHint(workspace: Workspace, path: string): Promise<string> {
  const parts = path.split('/')
  for (let at = 0; at < parts.length; at++) {
    const folder = parts.slice(0, at).join('/')
    const relative = parts.slice(at).join('/')
    const index = await readBytes(workspace, `${folder || '.'}/.git/index`, limits.indexBytes).catch(() => undefined)
    if (!index || !hasEntry(index.bytes, relative)) continue
    const folderOption = folder ? `-C ${JSON.stringify(folder)} ` : ''
    return `It was deleted but is in git: "git ${folderOption}checkout -- ${printableLine(relative)}" restores it.`
  }
  return ''
}

/**
 * Returns whether git's index contains the path: a name follows its length, the lower 12 of 16 bits, and is followed by a zero
 * byte.
 */
function hasEntry(index: Buffer, path: string): boolean {
  const name = Buffer.from(`${path}\0`)
  for (let at = index.indexOf(name); at !== -1; at = index.indexOf(name, at + 1))
    if (at >= 2 && (index.readUInt16BE(at - 2) & 0xfff) === name.length - 1) return true
  return false
}
