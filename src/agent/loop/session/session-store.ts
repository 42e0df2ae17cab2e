import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { applyEntry, createSession, type Session, type SessionEntry } from './session.ts'

/** Sessions on disk: one append-only file of JSON lines for each. */
export type SessionStore = {
  create: (id: string, cwd: string, at: number) => Promise<SessionLog>
  /** @returns the log and all its entries, or undefined if the session does not exist. */
  open: (id: string) => Promise<{ log: SessionLog; entries: SessionEntry[] } | undefined>
  list: () => Promise<Session[]>
}

/**
 * One session and its file. An entry given to `add` survives a crash of the process at once, and a crash of the machine
 * after `sync`.
 */
export type SessionLog = {
  session: Session
  add: (entry: SessionEntry) => Promise<void>
  sync: () => Promise<void>
  close: () => Promise<void>
}

const idPattern = /^[A-Za-z0-9-]{1,64}$/
const newline = 10

/** Stores sessions in a folder, which is created with the first session. */
export function createSessionStore(folder: string): SessionStore {
  const filePath = (id: string) => join(folder, `${id}.jsonl`)
  const load = async (id: string) => {
    const bytes = await readFile(filePath(id)).catch(() => undefined)
    if (!bytes) return undefined
    const { entries, validBytes } = parseEntries(bytes)
    const first = entries[0]
    if (first?.type !== 'session.created') return undefined
    const session = createSession(first.id, first.cwd, first.at)
    for (const entry of entries) applyEntry(session, entry)
    return { session, entries, validBytes }
  }
  return {
    async create(id, cwd, at) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(filePath(id), 'ax', 0o600)
      const log = createLog(file, createSession(id, cwd, at))
      try {
        await log.add({ type: 'session.created', id, cwd, at })
        await log.sync()
        return log
      } catch (error) {
        await log.close()
        await rm(filePath(id), { force: true })
        throw error
      }
    },
    async open(id) {
      const found = idPattern.test(id) ? await load(id) : undefined
      if (!found) return undefined
      const file = await open(filePath(id), 'a', 0o600)
      // An incomplete line after a crash is cut off, so that the next entry starts on a new line.
      await file.truncate(found.validBytes)
      return { log: createLog(file, found.session), entries: found.entries }
    },
    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'))
      const found = await Promise.all(names.map((name) => load(name.slice(0, -'.jsonl'.length))))
      return found.flatMap((each) => (each ? [each.session] : [])).sort((a, b) => b.updatedAt - a.updatedAt)
    },
  }
}

/**
 * The files of all open logs. The set keeps them from being garbage-collected, because Node reports an open file handle that is
 * garbage-collected as an error.
 */
const openFiles = new Set<FileHandle>()

function createLog(file: FileHandle, session: Session): SessionLog {
  let size: number | undefined
  openFiles.add(file)
  return {
    session,
    async add(entry) {
      size ??= (await file.stat()).size
      const line = Buffer.from(`${JSON.stringify(entry)}\n`)
      try {
        await file.appendFile(line)
      } catch (error) {
        // An incomplete line on a full disk would corrupt the next one.
        await file.truncate(size).catch(() => {})
        throw new Error(`The session could not be saved: ${(error as Error).message}`, { cause: error })
      }
      size += line.length
      applyEntry(session, entry)
    },
    sync: () => file.sync(),
    close() {
      openFiles.delete(file)
      return file.close()
    },
  }
}

/** @returns the entries before the first invalid line, and the offset of that line. */
function parseEntries(bytes: Buffer): { entries: SessionEntry[]; validBytes: number } {
  const entries: SessionEntry[] = []
  let validBytes = 0
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, validBytes)) {
    try {
      entries.push(JSON.parse(bytes.toString('utf8', validBytes, end)))
    } catch {
      break
    }
    validBytes = end + 1
  }
  return { entries, validBytes }
}
