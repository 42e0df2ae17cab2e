import { createReadStream, rmSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { UserFacingError } from '#platform/core/fault.ts'
import { packFolder } from '#platform/files/archive/pack-folder.ts'
import { SkippedEntries } from '#platform/files/archive/skipped-entries.ts'
import { unpackArchive } from '#platform/files/archive/unpack-archive.ts'
import { openConfined } from '#platform/files/confined-folder.ts'
import { FileError } from '#platform/files/file-error.ts'
import { readErrorText, writeErrorText } from '#platform/process/system-error.ts'
import { escapeUnambiguously, printable } from '#platform/text/printable.ts'
import { apiKeyHelp, createApiClient } from '../../kit/api-client.ts'
import { fileTable, type ListedFile } from '../../kit/file-table.ts'
import { internPath } from '../../kit/intern-path.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Unpacked = { data: { files: number; folders: number; links: number; bytes: number } }

/** The service enforces the limits of an archive. */
const noLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxEntries: Number.MAX_SAFE_INTEGER }

/** Commands for the files in an intern's workspace. */
export function filesCommands(interns: Command, { env, out, err }: Terminal): void {
  const files = interns.command('files').description('List, copy and change the files in an intern’s workspace')
  const client = () => createApiClient(env, 'api')
  const filesPath = (intern: string, resource: string, query: Record<string, string> = {}) =>
    internPath(intern, `/files${resource}?${new URLSearchParams(query)}`)
  const addCommand = (name: string, description: string) =>
    files
      .command(name)
      .description(description)
      .argument('<intern>', 'Name or ID of the intern')
      .addHelpText('after', apiKeyHelp)

  addCommand('ls', 'List a folder')
    .argument('[path]', 'Folder, relative to the workspace (default: the workspace itself)')
    .option('--json', 'Print JSON')
    .action(async (intern: string, path: string | undefined, { json }: { json?: true }) => {
      const entries = await client().listAllByCursor<ListedFile>(filesPath(intern, '', { path: path ?? '' }), 1000)
      out(json ? JSON.stringify(entries, null, 2) : fileTable(entries))
    })

  addCommand('get', 'Download a file from the workspace')
    .argument('<path>', 'File, relative to the workspace')
    .argument('[to]', 'Local path (default: the name of the file)')
    .action(async (intern: string, path: string, to: string = basename(path)) => {
      const target = (await isFolder(to)) ? join(to, basename(path)) : to
      const api = client()
      await writeAtomically(target, () => api.download(filesPath(intern, '/content', { path })))
      out(`Wrote ${escapeUnambiguously(target)}.`)
    })

  addCommand('put', 'Upload a file to the workspace')
    .argument('<from>', 'Local file')
    .argument('[path]', 'Path in the workspace (default: the name of the file)')
    .action(async (intern: string, from: string, path: string = basename(from)) => {
      if (await isFolder(from)) throw new UserFacingError(`${from} is a folder: use "signalbox interns files push".`)
      const query = { path: path.endsWith('/') ? path + basename(from) : path }
      await client().upload(filesPath(intern, '/content', query), readFileChunks(from))
      out(`Wrote ${escapeUnambiguously(query.path)} in the workspace of "${intern}".`)
    })

  addCommand('rm', 'Delete a file or folder')
    .argument('<path>', 'Path, relative to the workspace')
    .option('-r, --recursive', 'Delete a folder with its content')
    .action(async (intern: string, path: string, { recursive }: { recursive?: true }) => {
      await client().request('DELETE', filesPath(intern, '', { path, ...(recursive && { recursive: 'true' }) }))
      out(`Deleted ${escapeUnambiguously(path)}.`)
    })

  addCommand('mkdir', 'Create a folder and its missing parent folders')
    .argument('<path>', 'Path, relative to the workspace')
    .action(async (intern: string, path: string) => {
      await client().request('POST', filesPath(intern, '/folders'), { path })
      out(`Created ${escapeUnambiguously(path)}.`)
    })

  addCommand('mv', 'Rename or move a file or folder')
    .argument('<from>', 'Path, relative to the workspace')
    .argument('<to>', 'New path, relative to the workspace')
    .option('-f, --force', 'Replace an existing file')
    .action(async (intern: string, from: string, to: string, { force = false }: { force?: boolean }) => {
      await client().request('POST', filesPath(intern, '/rename'), { from, to, replace: force })
      out(`Moved ${escapeUnambiguously(from)} to ${escapeUnambiguously(to)}.`)
    })

  addCommand('pull', 'Download a folder from the workspace')
    .argument('[path]', 'Folder, relative to the workspace (default: the whole workspace)')
    .argument('[to]', 'Local folder, empty or new (default: the name of the folder)')
    .option('--merge', 'Allow a local folder that is not empty, and replace files of the same name')
    .action(async (intern: string, path = '', to: string | undefined, { merge }: { merge?: true }) => {
      const api = client()
      const target = to ?? (basename(path) || intern)
      const createdFolder = await mkdir(target, { recursive: true })
      // A file of an intern must not replace a file that can run on this machine, such as a git hook.
      if (!merge && (await readdir(target)).length > 0) {
        throw new UserFacingError(`${target} is not empty: specify another folder, or replace its files with --merge.`)
      }
      const counts = await removeOnFailure(createdFolder, async () => {
        const body = await api.download(filesPath(intern, '/archive', { path }))
        const confined = await openConfined(resolve(target))
        return unpackArchive(confined, '', { body, limits: noLimits }).catch(throwAsUserFacingError)
      })
      out(`Wrote ${counts.files} files (${counts.bytes} bytes) to ${escapeUnambiguously(target)}.`)
      await reportSkippedFiles(join(target, SkippedEntries.fileName), err)
    })

  addCommand('push', 'Upload the content of a folder to the workspace')
    .argument('<from>', 'Local folder')
    .argument('[path]', 'Folder in the workspace (default: the workspace itself)')
    .action(async (intern: string, from: string, path = '') => {
      if (!(await isFolder(from)))
        throw new UserFacingError(`${from} is not a folder: use "signalbox interns files put" for a file.`)
      const archive = await packFolder(await openConfined(resolve(from)), '', noLimits, err).catch(
        throwAsUserFacingError,
      )
      const { data } = await client().upload<Unpacked>(filesPath(intern, '/archive', { path }), archive)
      out(
        `Wrote ${data.files} files (${data.bytes} bytes) to ${escapeUnambiguously(path || 'the workspace')} of "${intern}".`,
      )
    })
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/**
 * Writes to a temporary file and renames it, so that an existing file is replaced only by a complete one. Opens the temporary
 * file before the download starts, and removes it also when a signal ends the process.
 */
async function writeAtomically(target: string, download: () => Promise<AsyncIterable<Uint8Array>>): Promise<void> {
  const draft = `${target}.part`
  const cannotWrite = (error: unknown) => new UserFacingError(`Cannot write ${target}: ${writeErrorText(error)}.`)
  await using file = await open(draft, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw cannotWrite(error)
    throw new UserFacingError(`Cannot write ${target}: ${draft} exists. Another download uses it, or was killed.`)
  })
  const removeDraft = () => rmSync(draft, { force: true })
  process.once('exit', removeDraft)
  try {
    await writeFile(file, await download())
    await rename(draft, target)
  } catch (error) {
    throw error instanceof UserFacingError ? error : cannotWrite(error)
  } finally {
    process.removeListener('exit', removeDraft)
    removeDraft()
  }
}

/** Removes a created folder if the function that fills it fails, or if a signal ends the process. */
async function removeOnFailure<Result>(folder: string | undefined, fill: () => Promise<Result>): Promise<Result> {
  const remove = () => folder !== undefined && rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    return await fill()
  } catch (error) {
    remove()
    throw error
  } finally {
    process.removeListener('exit', remove)
  }
}

async function* readFileChunks(from: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(from)
  } catch (error) {
    throw new UserFacingError(`${from} cannot be read: ${readErrorText(error)}.`)
  }
}

/** Prints the list of skipped files that the archive contains, and deletes it. */
async function reportSkippedFiles(file: string, err: (text: string) => void): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return
  err(printable(text.trimEnd()))
  await rm(file)
}

function throwAsUserFacingError(error: unknown): never {
  if (error instanceof UserFacingError) throw error
  if (error instanceof FileError) throw new UserFacingError(`The archive ${error.message.replace(/^The archive /, '')}`)
  throw new UserFacingError(`The folder was not copied: ${(error as Error).message}`)
}
