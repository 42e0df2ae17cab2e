import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Generation } from '../ledger/generation.ts'

/** Metered requests in files, until the database takes them. A file is whole or not there, and is never changed. */
export type Spill = {
  /** Durable when its promise resolves. */
  write: (generations: readonly Generation[]) => Promise<void>
  /** The names of what is there, the oldest first; also what servers before this one left. */
  files: () => Promise<string[]>
  /** Undefined when another server has written it meanwhile. @throws when it cannot be read; it is put aside. */
  read: (file: string) => Promise<Generation[] | undefined>
  remove: (file: string) => Promise<void>
  /** The number of requests in the files, as of the last look. */
  readonly waiting: number
  /** When the oldest file was written, in ms since the epoch. */
  readonly oldestAt: number | undefined
  hasRoom: () => boolean
}

type SpillDeps = { folder: string; mostBytes: number; now: Now; newId: NewId }

/** `<time>-<requests>-<id>.jsonl` */
const spillFile = /^(\d+)-(\d+)-[\w-]+\.jsonl$/

/** One that is not whole. Its server writes it, or was killed while it did. */
const halfFile = /^(\d+)-\d+-[\w-]+\.jsonl\.half$/

/** No file takes as long to write; if one does, its requests are put there again, and written once all the same. */
const abandonedAfterMs = 60_000

export async function openSpill({ folder, mostBytes, now, newId }: SpillDeps): Promise<Spill> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const known = new Map<string, { requests: number; bytes: number }>()

  async function files(): Promise<string[]> {
    const names = await readdir(folder)
    for (const name of names) {
      const began = halfFile.exec(name)?.[1]
      if (began !== undefined && Number(began) < now() - abandonedAfterMs) names.push(...(await adopt(name)))
    }
    const found = names.filter((name) => spillFile.test(name)).sort()
    for (const name of known.keys()) if (!found.includes(name)) known.delete(name)
    for (const name of found) {
      if (known.has(name)) continue
      const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }))
      known.set(name, { requests: Number(spillFile.exec(name)?.[2]), bytes: size })
    }
    return found
  }
  /** What there is of a file whose server was killed: the lines that are whole. @returns the file that has them. */
  async function adopt(half: string): Promise<string[]> {
    const text = await readFile(join(folder, half), 'utf8').catch(unlessMissing)
    const whole = text?.slice(0, text.lastIndexOf('\n') + 1) ?? ''
    const name = `${now()}-${whole.split('\n').length - 1}-${newId()}.jsonl`
    if (whole !== '') await writeDurably(folder, name, whole)
    await rm(join(folder, half), { force: true })
    return whole === '' ? [] : [name]
  }

  await files()
  const sum = (of: 'requests' | 'bytes') => [...known.values()].reduce((total, file) => total + file[of], 0)

  return {
    files,
    async write(generations) {
      const name = `${now()}-${generations.length}-${newId()}.jsonl`
      const text = `${generations.map(textOf).join('\n')}\n`
      await writeDurably(folder, name, text)
      known.set(name, { requests: generations.length, bytes: Buffer.byteLength(text) })
    },
    async read(file) {
      const path = join(folder, file)
      const text = await readFile(path, 'utf8').catch(unlessMissing)
      try {
        return text?.trimEnd().split('\n').map(generationOf)
      } catch (error) {
        await rename(path, `${path}.unreadable`)
        known.delete(file)
        throw new Error(`${path} cannot be read, and was put aside: ${(error as Error).message}`)
      }
    },
    async remove(file) {
      await rm(join(folder, file), { force: true })
      known.delete(file)
    },
    get waiting() {
      return sum('requests')
    },
    get oldestAt() {
      const times = [...known.keys()].map((name) => Number(spillFile.exec(name)?.[1]))
      return times.length > 0 ? Math.min(...times) : undefined
    },
    hasRoom: () => known.size === 0 || sum('bytes') < mostBytes,
  }
}

/** Nowhere to write to. */
export const noSpill: Spill = {
  write: () => Promise.reject(new Error('there is no folder for what cannot be written')),
  files: async () => [],
  read: async () => undefined,
  remove: async () => {},
  waiting: 0,
  oldestAt: undefined,
  hasRoom: () => true,
}

async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const half = join(folder, `${name}.half`)
  const file = await open(half, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(half, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(half, join(folder, name))
  const directory = await open(folder)
  await directory.sync().finally(() => directory.close())
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** JSON knows no bigint. */
const textOf = (generation: Generation) =>
  JSON.stringify(generation, (_name, value) => (typeof value === 'bigint' ? { $bigint: String(value) } : value))

const generationOf = (line: string): Generation =>
  JSON.parse(line, (_name, value) => (typeof value?.$bigint === 'string' ? BigInt(value.$bigint) : value))
