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
  readonly requestCount: number
  /** The time of the oldest of these files, in ms since the epoch. */
  readonly oldestAt: number | undefined
  hasRoom: () => boolean
}

type SpillDeps = { folder: string; maxBytes: number; now: Now; newId: NewId }

/** A file, by the facts in its name, and its size. */
type SpillFile = { writtenAt: number; requests: number; bytes: number }

/** `<time>-<requests>-<id>.jsonl` */
const namePattern = /^(\d+)-(\d+)-[\w-]+\.jsonl$/

/** The name of a file that is being written, or whose server was killed. */
const partialNamePattern = /^(\d+)-\d+-[\w-]+\.jsonl\.half$/

/** The age from which a partial file counts as abandoned. If its write continues, requests are stored twice, but the ledger skips the ids that it has. */
const abandonedAfterMs = 60_000

export async function openSpill(deps: SpillDeps): Promise<Spill> {
  const { folder, maxBytes, now, newId } = deps
  await mkdir(folder, { recursive: true, mode: 0o700 })
  /** The files that this server knows, by name. */
  const knownFiles = new Map<string, SpillFile>()

  async function files(): Promise<string[]> {
    const names = await listFiles(deps)
    for (const name of knownFiles.keys()) if (!names.includes(name)) knownFiles.delete(name)
    for (const name of names) if (!knownFiles.has(name)) knownFiles.set(name, await readFacts(folder, name))
    return names
  }

  await files()
  const sum = (field: 'requests' | 'bytes') => [...knownFiles.values()].reduce((total, file) => total + file[field], 0)

  return {
    files,
    async write(generations) {
      const text = `${generations.map(serialize).join('\n')}\n`
      const file = { writtenAt: now(), requests: generations.length, bytes: Buffer.byteLength(text) }
      const name = fileName(file, newId())
      await writeDurably(folder, name, text)
      knownFiles.set(name, file)
    },
    async read(file) {
      const path = join(folder, file)
      const text = await readFile(path, 'utf8').catch(ignoreMissing)
      try {
        return text?.trimEnd().split('\n').map(parseGeneration)
      } catch (error) {
        await rename(path, `${path}.unreadable`)
        knownFiles.delete(file)
        throw new Error(`${path} cannot be read, and was moved aside: ${(error as Error).message}`)
      }
    },
    async remove(file) {
      await rm(join(folder, file), { force: true })
      knownFiles.delete(file)
    },
    get requestCount() {
      return sum('requests')
    },
    get oldestAt() {
      const times = [...knownFiles.values()].map(({ writtenAt }) => writtenAt)
      return times.length > 0 ? Math.min(...times) : undefined
    },
    hasRoom: () => sum('bytes') < maxBytes,
  }
}

const fileName = ({ writtenAt, requests }: Omit<SpillFile, 'bytes'>, id: string) =>
  `${writtenAt}-${requests}-${id}.jsonl`

async function readFacts(folder: string, name: string): Promise<SpillFile> {
  const [, writtenAt, requests] = namePattern.exec(name) ?? []
  const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }))
  return { writtenAt: Number(writtenAt), requests: Number(requests), bytes: size }
}

/** Lists the complete files, oldest first, and recovers abandoned ones before. */
async function listFiles(deps: SpillDeps): Promise<string[]> {
  const names = await readdir(deps.folder)
  const recovered: string[] = []
  for (const name of names) {
    const newName = isAbandoned(name, deps.now()) ? await recover(deps, name) : undefined
    if (newName !== undefined) recovered.push(newName)
  }
  return [...names, ...recovered].filter((name) => namePattern.test(name)).sort()
}

function isAbandoned(name: string, now: number): boolean {
  const [, startedAt] = partialNamePattern.exec(name) ?? []
  return startedAt !== undefined && Number(startedAt) < now - abandonedAfterMs
}

/** Recovers the complete lines of a file whose server was killed. @returns the new file; undefined without a complete line. */
async function recover({ folder, now, newId }: SpillDeps, partial: string): Promise<string | undefined> {
  const text = await readFile(join(folder, partial), 'utf8').catch(ignoreMissing)
  const completeLines = text?.slice(0, text.lastIndexOf('\n') + 1) ?? ''
  const name = fileName({ writtenAt: now(), requests: completeLines.split('\n').length - 1 }, newId())
  if (completeLines !== '') await writeDurably(folder, name, completeLines)
  await rm(join(folder, partial), { force: true })
  return completeLines === '' ? undefined : name
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
