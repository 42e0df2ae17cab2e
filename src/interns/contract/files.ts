import type { ByteRange } from '#platform/files/read-part.ts'

export type InternFile = {
  name: string
  /** False if its name is not UTF-8, so that it cannot be requested. */
  isNameValid: boolean
  kind: 'file' | 'folder' | 'link' | 'other'
  size: number
  /** Milliseconds since the epoch. */
  modifiedAt: number
  isExecutable: boolean
  /** The target of a link. */
  target: string | null
}

type InternFilePage = { entries: InternFile[]; next?: string | undefined }

/** A stream of bytes. Ending the iteration closes its source. */
export type Bytes = AsyncIterable<Uint8Array>

export type InternFileContent = {
  /** The size of the whole file. */
  size: number
  modifiedAt: number
  /** The ETag of the file. Changes when the file is replaced or written. */
  tag: string
  /** The range of the body if one was requested: from `from` (inclusive) to `to` (exclusive). */
  part: { from: number; to: number } | undefined
  body: Bytes
}

type UnpackCounts = { files: number; folders: number; links: number; bytes: number }

/**
 * The files of an intern's workspace, accessed on its host by the intern's user. Paths are relative to the workspace. A path
 * that leads out of the workspace is refused with an error that names the path (`Refusal` in `refusal.ts`).
 */
export type InternFiles = {
  list(path: string, page: { limit: number; after?: string | undefined }, signal?: AbortSignal): Promise<InternFilePage>
  /**
   * Reads a file or a range. With `ifRangeTag`, the range applies only if the file still has this ETag; otherwise the whole file
   * is returned.
   */
  read(
    path: string,
    selection: { range?: ByteRange | undefined; ifRangeTag?: string | undefined },
    signal: AbortSignal,
  ): Promise<InternFileContent>
  /** Creates or replaces a file. `made`: the file did not exist before. */
  write(path: string, body: Bytes, replace: boolean, signal: AbortSignal): Promise<{ made: boolean; size: number }>
  remove(path: string, recursive: boolean): Promise<void>
  /** Creates a folder. `made`: the folder did not exist before. */
  makeFolder(path: string): Promise<{ made: boolean }>
  rename(from: string, to: string, replace: boolean): Promise<void>
  /** Packs a folder as tar.gz. */
  pack(path: string, signal: AbortSignal): Promise<Bytes>
  /** Unpacks a tar.gz into a folder, completely or not at all. */
  unpack(path: string, archive: Bytes, signal: AbortSignal): Promise<UnpackCounts>
}
