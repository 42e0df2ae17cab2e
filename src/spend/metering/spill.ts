import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Generation } from '../ledger/generation.ts'

/** Stores metered requests in files until the database accepts them. Files are written atomically and never changed. */
export type Spill = {
  /** Writes a file. It is durable when the promise resolves. */
  write: (generations: readonly Generation[]) => Promise<void>
  /** Lists the files, oldest first, including those of earlier servers. Recovers unfinished files of killed servers first. */
  files: () => Promise<string[]>
  /** Reads a file. Undefined if another server has written it to the database. @throws Error if it is unreadable; it is moved aside. */
  read: (file: string) => Promise<Generation[] | undefined>
  remove: (file: string) => Promise<void>
  /** The number of requests in the files that this server knows: those that it wrote or listed. */
  readonly waiting: number
  /** The time of the oldest of these files, in ms since the epoch. */
  readonly oldestAt: number | undefined
  hasRoom: () => boolean
}

type SpillDeps = { folder: string; maxBytes: number; now: Now; newId: NewId }

/** `<time>-<requests>-<id>.jsonl` */
const spillFile = /^(\d+)-(\d+)-[\w-]+\.jsonl$/

/** The name of a file that is being written, or whose server was killed. */
const partialFile = /^(\d+)-\d+-[\w-]+\.jsonl\.half$/

/** The age from which a partial file counts as abandoned. If its write continues, requests are stored twice, but the ledger skips the ids that it has. */
const abandonedAfterMs = 60_000

export async function openSpill({ folder, maxBytes, now, newId }: SpillDeps): Promise<Spill> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const sizes = new Map<string, { requests: number; bytes: number }>()

  async function files(): Promise<string[]> {
    const names = await readdir(folder)
    const recovered: string[] = []
    for (const name of names) if (isAbandoned(name)) recovered.push(...(await recover(name)))
    const spillFiles = [...names, ...recovered].filter((name) => spillFile.test(name)).sort()
    for (const name of sizes.keys()) if (!spillFiles.includes(name)) sizes.delete(name)
    for (const name of spillFiles) {
      if (sizes.has(name)) continue
      const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }))
      sizes.set(name, { requests: Number(spillFile.exec(name)?.[2]), bytes: size })
    }
    return spillFiles
  }
  function isAbandoned(name: string): boolean {
    const startedAt = partialFile.exec(name)?.[1]
    return startedAt !== undefined && Number(startedAt) < now() - abandonedAfterMs
  }
  /** Recovers the complete lines of a file whose server was killed. @returns the new file; empty without a complete line. */
  async function recover(partial: string): Promise<string[]> {
    const text = await readFile(join(folder, partial), 'utf8').catch(ignoreMissing)
    const completeLines = text?.slice(0, text.lastIndexOf('\n') + 1) ?? ''
    const name = `${now()}-${completeLines.split('\n').length - 1}-${newId()}.jsonl`
    if (completeLines !== '') await writeDurably(folder, name, completeLines)
    await rm(join(folder, partial), { force: true })
    return completeLines === '' ? [] : [name]
  }

  await files()
  const sumFiles = (field: 'requests' | 'bytes') => [...sizes.values()].reduce((total, file) => total + file[field], 0)

  return {
    files,
    async write(generations) {
      const name = `${now()}-${generations.length}-${newId()}.jsonl`
      const text = `${generations.map(serialize).join('\n')}\n`
      await writeDurably(folder, name, text)
      sizes.set(name, { requests: generations.length, bytes: Buffer.byteLength(text) })
    },
    async read(file) {
      const path = join(folder, file)
      const text = await readFile(path, 'utf8').catch(ignoreMissing)
      try {
        return text?.trimEnd().split('\n').map(parseGeneration)
      } catch (error) {
        await rename(path, `${path}.unreadable`)
        sizes.delete(file)
        throw new Error(`${path} cannot be read, and was moved aside: ${(error as Error).message}`)
      }
    },
    async remove(file) {
      await rm(join(folder, file), { force: true })
      sizes.delete(file)
    },
    get waiting() {
      return sumFiles('requests')
    },
    get oldestAt() {
      const times = [...sizes.keys()].map((name) => Number(spillFile.exec(name)?.[1]))
      return times.length > 0 ? Math.min(...times) : undefined
    },
    hasRoom: () => sumFiles('bytes') < maxBytes,
  }
}

async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const partial = join(folder, `${name}.half`)
  const file = await open(partial, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(partial, join(folder, name))
  const directory = await open(folder)
  await directory.sync().finally(() => directory.close())
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Converts bigint, which JSON does not support. */
const serialize = (generation: Generation) =>
  JSON.stringify(generation, (_name, value) => (typeof value === 'bigint' ? { $bigint: String(value) } : value))

const parseGeneration = (line: string): Generation =>
  JSON.parse(line, (_name, value) => (typeof value?.$bigint === 'string' ? BigInt(value.$bigint) : value))
