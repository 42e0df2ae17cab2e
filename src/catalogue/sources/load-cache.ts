import { readdirSync, statSync } from 'node:fs'
import { readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import type { Loaded } from './layer.ts'
import { type CatalogueSettings, loadCatalogue, sourcePaths } from './load.ts'

/** The folders of all code on which the merged catalogue depends: reading, names and prices, and schemas. */
const codeFolders = ['..', '../../platform/core', '../../platform/json'].map((folder) =>
  fileURLToPath(new URL(`${folder}/`, import.meta.url)),
)

export const cachePath = ({ data_dir }: Pick<CatalogueSettings, 'data_dir'>) => join(data_dir, 'catalogue.remembered')

/**
 * Loads the merged catalogue from a cache file if neither the sources nor the code that reads them changed. Merging
 * thousands of entries takes most of the start time.
 * @throws CatalogueError as `loadCatalogue`.
 */
export async function loadCached(settings: CatalogueSettings, load = loadCatalogue): Promise<Loaded> {
  const path = cachePath(settings)
  // The key is computed before the sources are read, so a change in between invalidates the cache at the next start.
  const key = cacheKey(settings)
  const cached = await readCache(path, key)
  if (cached) return cached
  const loaded = await load(settings)
  // The cache is optional: a failed write only makes the next start slower.
  await writeCache(path, key, loaded).catch(() => {})
  return loaded
}

/**
 * The cache key: the inode, size and time of every source file and code file. Reads them synchronously, because a hundred
 * asynchronous calls cost more.
 */
export function cacheKey(settings: CatalogueSettings): string {
  const files = [...sourcePaths(settings), ...codeFolders.flatMap(listCodeFiles)]
  const states = files.map((file) => [file, readFileState(file)])
  return JSON.stringify([settings.models_dev_file ?? null, ...states])
}

function readFileState(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch {
    return undefined
  }
}

function listCodeFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => /(?<!\.test)\.ts$/.test(file)).map((file) => folder + file)
}

/**
 * Reads the cache file: a line each for the checksum of the rest, the cache key, and the catalogue. All of it is ASCII,
 * because with one other character V8 would store two bytes for every character.
 */
async function readCache(path: string, key: string): Promise<Loaded | undefined> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0))
  const [checksum, rest] = splitLine(bytes)
  const [storedKey, loaded] = splitLine(rest)
  if (storedKey.toString('latin1') !== toAscii(key) || checksum.toString('latin1') !== String(crc32(rest)))
    return undefined
  return JSON.parse(loaded.toString('latin1')) as Loaded
}

function splitLine(bytes: Buffer): [line: Buffer, rest: Buffer] {
  const end = bytes.indexOf('\n')
  return end < 0 ? [bytes, Buffer.alloc(0)] : [bytes.subarray(0, end), bytes.subarray(end + 1)]
}

/** Escapes all characters of JSON that are not ASCII. */
function toAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

async function writeCache(path: string, key: string, loaded: Loaded): Promise<void> {
  const rest = `${toAscii(key)}\n${toAscii(JSON.stringify(loaded))}`
  const temporaryPath = `${path}.${process.pid}`
  try {
    await writeFile(temporaryPath, `${crc32(rest)}\n${rest}`)
    await rename(temporaryPath, path)
  } catch (error) {
    await unlink(temporaryPath).catch(() => {})
    throw error
  }
}
