import type { ByteRange } from '#platform/files/read-part.ts'

export type InternFile = {
  name: string
  /** False where its name is not UTF-8, so that it cannot be asked for. */
  isNameValid: boolean
  kind: 'file' | 'folder' | 'link' | 'other'
  size: number
  /** Milliseconds since the epoch. */
  modifiedAt: number
  isExecutable: boolean
  /** Where a link leads. */
  target: string | null
}

export type InternFilePage = { entries: InternFile[]; next?: string | undefined }

/** Bytes as they come. Leaving them ends what brings them. */
export type Bytes = AsyncIterable<Uint8Array>

export type InternFileContent = {
  /** Of the whole file. */
  size: number
  modifiedAt: number
  /** Another one when the file is another, or was written to. */
  tag: string
  /** What follows, where a range was asked for. */
  part: { from: number; to: number } | undefined
  body: Bytes
}

export type UnpackedFiles = { files: number; folders: number; links: number; bytes: number }

/**
 * The files of an intern's workspace, done where the workspace is and by the intern's own user. Paths are relative to it,
 * and nothing leads out of it: what would is refused, as a `Refusal` that names it.
 */
export type InternFiles = {
  list(path: string, page: { limit: number; after?: string | undefined }): Promise<InternFilePage>
  read(
    path: string,
    wanted: { range?: ByteRange | undefined; ifTag?: string | undefined },
    signal: AbortSignal,
  ): Promise<InternFileContent>
  write(path: string, body: Bytes, replace: boolean, signal: AbortSignal): Promise<{ made: boolean; size: number }>
  remove(path: string, recursive: boolean): Promise<void>
  makeFolder(path: string): Promise<{ made: boolean }>
  rename(from: string, to: string, replace: boolean): Promise<void>
  /** A folder as tar.gz. */
  pack(path: string, signal: AbortSignal): Promise<Bytes>
  /** A tar.gz into a folder, all of it or nothing. */
  unpack(path: string, archive: Bytes, signal: AbortSignal): Promise<UnpackedFiles>
}
