import { readdirSync, statSync } from 'node:fs'
import { readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { type CatalogueSettings, type Loaded, loadCatalogue, sourcePaths } from './load.ts'

const code = fileURLToPath(new URL('.', import.meta.url))

export const cachePath = ({ data_dir }: Pick<CatalogueSettings, 'data_dir'>) => join(data_dir, 'catalogue.remembered')

/**
 * Loads the merged catalogue from a cache file if neither the sources nor the code that reads them changed. Merging
 * thousands of entries takes most of the start time.
 * @throws CatalogueRefused as `loadCatalogue`.
 */
export async function loadCached(settings: CatalogueSettings, load = loadCatalogue): Promise<Loaded> {
  const path = cachePath(settings)
  // The key is computed before the sources are read, so a change in between invalidates the cache at the next start.
  const name = nameOfSources(settings)
  const remembered = await readCache(path, name)
  if (remembered) return remembered
  const loaded = await load(settings)
  // The cache is optional: a failed write only makes the next start slower.
  await writeCache(path, name, loaded).catch(() => {})
  return loaded
}

/**
 * The cache key: the inode, size and time of every source file and code file. Reads them synchronously, because sixty
 * asynchronous calls cost more.
 */
export function nameOfSources(settings: CatalogueSettings): string {
  const ours = readdirSync(code, { recursive: true, encoding: 'utf8' })
  const files = [...sourcePaths(settings), ...ours.filter((file) => /(?<!\.test)\.ts$/.test(file)).map(inCode)]
  const states = files.map((file) => [file, stateOf(file)])
  return JSON.stringify([settings.models_dev_file ?? null, ...states])
}

function stateOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch {
    return undefined
  }
}

const inCode = (file: string) => code + file

/**
 * Reads the cache file: a line each for the checksum of the rest, the cache key, and the catalogue. All of it is ASCII,
 * because one other character would make V8 store two bytes for each of millions.
 */
async function readCache(path: string, name: string): Promise<Loaded | undefined> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0))
  const [checksum, rest] = splitLine(bytes)
  const [madeFrom, loaded] = splitLine(rest)
  if (madeFrom.toString('latin1') !== inAscii(name) || checksum.toString('latin1') !== String(crc32(rest)))
    return undefined
  return JSON.parse(loaded.toString('latin1')) as Loaded
}

function splitLine(bytes: Buffer): [line: Buffer, rest: Buffer] {
  const end = bytes.indexOf('\n')
  return end < 0 ? [bytes, Buffer.alloc(0)] : [bytes.subarray(0, end), bytes.subarray(end + 1)]
}

/** The same JSON with only ASCII characters. */
function inAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

async function writeCache(path: string, name: string, loaded: Loaded): Promise<void> {
  const rest = `${inAscii(name)}\n${inAscii(JSON.stringify(loaded))}`
  const draft = `${path}.${process.pid}`
  try {
    await writeFile(draft, `${crc32(rest)}\n${rest}`)
    await rename(draft, path)
  } catch (error) {
    await unlink(draft).catch(() => {})
    throw error
  }
}
