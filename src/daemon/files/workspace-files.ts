import type { Bytes, InternFiles } from '#interns/contract/files.ts'
import { Refusal, type RefusalKind } from '#interns/contract/refusal.ts'
import { once } from '#platform/async/once.ts'
import { makeFolder, renameEntry } from '#platform/files/change-entries.ts'
import { type ConfinedFolder, openConfined } from '#platform/files/confined-folder.ts'
import { diskUse } from '#platform/files/disk-use.ts'
import { FileError, type FileErrorKind, withFilePath } from '#platform/files/file-error.ts'
import { listFolder } from '#platform/files/list-folder.ts'
import { readPart } from '#platform/files/read-part.ts'
import { parseRelativePath } from '#platform/files/relative-path.ts'
import { removeEntry } from '#platform/files/remove-entry.ts'
import { writeStream } from '#platform/files/write-file.ts'
import type { FileLimits } from '../settings/limits.ts'

export type WorkspaceDeps = {
  workspace: string
  /** The state folder, which also counts for the disk limit. */
  state: string
  limits: FileLimits
}

/** The most entries of an archive, which limits the time to pack or unpack it. */
const maxEntries = 200_000

/** These modules are loaded at first use, because they need memory in each daemon, and few daemons use them. */
const packModule = once(() => import('#platform/files/archive/pack-folder.ts'))
const unpackModule = once(() => import('#platform/files/archive/unpack-archive.ts'))

/** The files of a workspace on this host, with the rights of this process. */
export function createWorkspaceFiles({ workspace, state, limits }: WorkspaceDeps): InternFiles {
  const inWorkspace = <Done>(path: string, act: (confined: ConfinedFolder, path: string) => Promise<Done>) =>
    withRefusals(async () => {
      const confined = await openConfined(workspace)
      return withFilePath(path || '.', () => act(confined, parseRelativePath(path)))
    })
  /** The bytes that can be added. An intern above its disk limit would be stopped. */
  const freeBytes = async () => {
    if (limits.maxDiskBytes === 0) return limits.maxUploadBytes
    // If the use cannot be determined, it counts as zero.
    const usedBytes = await diskUse([workspace, state]).catch(() => 0)
    return Math.max(0, Math.min(limits.maxUploadBytes, limits.maxDiskBytes - usedBytes))
  }
  return {
    list: (path, page) => inWorkspace(path, (confined, relative) => listFolder(confined, relative, page)),
    read: (path, selection) => inWorkspace(path, (confined, relative) => readPart(confined, relative, selection)),
    write: (path, body, replace, signal) =>
      inWorkspace(path, async (confined, relative) =>
        writeStream(confined, relative, { body: untilAborted(body, signal), maxBytes: await freeBytes(), replace }),
      ),
    remove: (path, recursive) =>
      inWorkspace(path, (confined, relative) => removeEntry(confined, relative, { recursive })),
    makeFolder: (path) => inWorkspace(path, makeFolder),
    rename: (from, to, replace) =>
      inWorkspace(from, (confined, relative) =>
        renameEntry(confined, { from: relative, to: parseRelativePath(to), replace }),
      ),
    pack: (path) =>
      inWorkspace(path, async (confined, relative) => {
        const { packFolder } = await packModule()
        return packFolder(confined, relative, { maxBytes: limits.maxUploadBytes, maxEntries })
      }),
    unpack: (path, archive, signal) =>
      withRefusals(async () => {
        const [{ unpackArchive }, confined] = await Promise.all([unpackModule(), openConfined(workspace)])
        const source = { body: untilAborted(archive, signal), limits: { maxBytes: await freeBytes(), maxEntries } }
        return withFilePath('The archive', () => unpackArchive(confined, parseRelativePath(path), source))
      }),
  }
}

/** Throws if the upload was aborted, so that a truncated body does not look complete. */
async function* untilAborted(body: Bytes, signal: AbortSignal): Bytes & AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    signal.throwIfAborted()
    yield piece
  }
  signal.throwIfAborted()
}

const refusals: Record<FileErrorKind, RefusalKind> = {
  invalid: 'file_invalid',
  outside: 'file_forbidden',
  unknown: 'file_unknown',
  conflict: 'file_conflict',
  too_large: 'file_too_large',
  no_access: 'file_forbidden',
  full: 'disk_full',
  range: 'file_range',
}

async function withRefusals<Done>(act: () => Promise<Done>): Promise<Done> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof FileError ? new Refusal(refusals[error.kind], error.message) : error
  }
}
