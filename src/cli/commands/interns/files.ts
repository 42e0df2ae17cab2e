import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { StartupError } from '#platform/core/fault.ts'
import { openConfined } from '#platform/files/confined-folder.ts'
import { FileError } from '#platform/files/file-error.ts'
import { LeftOut } from '#platform/files/left-out.ts'
import { packFolder } from '#platform/files/pack-folder.ts'
import { unpackArchive } from '#platform/files/unpack-archive.ts'
import { whyUnread, whyUnwritten } from '#platform/process/system-error.ts'
import { printable, printableExactly } from '#platform/text/printable.ts'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'

export type ListedFile = { name: string; kind: string; size: number; modified_at: string; target: string | null }
type Page = { data: ListedFile[]; has_more: boolean; next_cursor?: string }
type Unpacked = { data: { files: number; folders: number; links: number; bytes: number } }

/** What one archive may hold is the service's to say. */
const anyLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxEntries: Number.MAX_SAFE_INTEGER }

/** The files of an intern's workspace. */
export function filesCommands(interns: Command, { env, out, err }: Terminal): void {
  const files = interns.command('files').description('list, copy and change the files of an intern’s workspace')
  const client = () => apiClient(env, 'api')
  const url = (intern: string, what: string, query: Record<string, string> = {}) =>
    `/interns/${encodeURIComponent(intern)}/files${what}?${new URLSearchParams(query)}`
  const command = (name: string, about: string) =>
    files.command(name).description(about).argument('<intern>', 'its name or id').addHelpText('after', internsHelp)

  command('ls', 'list a folder')
    .argument('[path]', 'the folder, from the workspace down', '')
    .option('--json', 'print it as JSON')
    .action(async (intern: string, path: string, { json }: { json?: true }) => {
      const entries = await everyEntry((query) => client().ask<Page>('GET', url(intern, '', { path, ...query })))
      out(json ? JSON.stringify(entries, null, 2) : fileTable(entries))
    })

  command('get', 'copy a file from the workspace')
    .argument('<path>', 'the file, from the workspace down')
    .argument('[to]', 'where to put it (default: its name, here)')
    .action(async (intern: string, path: string, to: string = basename(path)) => {
      const target = (await isFolder(to)) ? join(to, basename(path)) : to
      await writeWhole(target, await client().download(url(intern, '/content', { path })))
      out(`Wrote ${printableExactly(target)}.`)
    })

  command('put', 'copy a file into the workspace')
    .argument('<from>', 'the file here')
    .argument('[path]', 'its path there (default: its name)')
    .action(async (intern: string, from: string, path: string = basename(from)) => {
      if (await isFolder(from)) throw new StartupError(`${from} is a folder: use "interns files push".`)
      const query = { path: path.endsWith('/') ? path + basename(from) : path }
      await client().upload(url(intern, '/content', query), readable(from))
      out(`Wrote ${printableExactly(query.path)} of "${intern}".`)
    })

  command('rm', 'delete a file or a folder')
    .argument('<path>', 'from the workspace down')
    .option('-r, --recursive', 'a folder with all that is in it')
    .action(async (intern: string, path: string, { recursive }: { recursive?: true }) => {
      await client().ask('DELETE', url(intern, '', { path, ...(recursive && { recursive: 'true' }) }))
      out(`Deleted ${printableExactly(path)}.`)
    })

  command('mkdir', 'make a folder, with those that it lies in')
    .argument('<path>', 'from the workspace down')
    .action(async (intern: string, path: string) => {
      await client().ask('POST', url(intern, '/folders'), { path })
      out(`Made ${printableExactly(path)}.`)
    })

  command('mv', 'rename or move a file or a folder')
    .argument('<from>', 'from the workspace down')
    .argument('<to>', 'its new path')
    .option('-f, --force', 'replace a file that is there')
    .action(async (intern: string, from: string, to: string, { force = false }: { force?: boolean }) => {
      await client().ask('POST', url(intern, '/rename'), { from, to, replace: force })
      out(`Moved ${printableExactly(from)} to ${printableExactly(to)}.`)
    })

  command('pull', 'copy a folder from the workspace')
    .argument('[path]', 'the folder, from the workspace down (default: the workspace)', '')
    .argument('[to]', 'a folder here that is empty or not there yet (default: its name, here)')
    .option('--merge', 'also into a folder that is not empty, replacing files of the same names')
    .action(async (intern: string, path: string, to: string | undefined, { merge }: { merge?: true }) => {
      const target = to ?? (basename(path) || intern)
      await mkdir(target, { recursive: true })
      // What an intern wrote is not to get among files that do something here, such as the hooks of a repository.
      if (!merge && (await readdir(target)).length > 0) {
        throw new StartupError(`${target} is not empty: name another folder, or replace what is in it with --merge.`)
      }
      const body = await client().download(url(intern, '/archive', { path }))
      const done = await unpackArchive(await openConfined(resolve(target)), '', { body, limits: anyLimits }).catch(
        inWords,
      )
      out(`Wrote ${done.files} files, ${done.bytes} bytes, to ${printableExactly(target)}.`)
      await tellLeftOut(join(target, LeftOut.fileName), err)
    })

  command('push', 'copy a folder into the workspace')
    .argument('<from>', 'the folder here, whose content it is')
    .argument('[path]', 'the folder there (default: the workspace)', '')
    .action(async (intern: string, from: string, path: string) => {
      if (!(await isFolder(from))) throw new StartupError(`${from} is no folder: use "interns files put" for a file.`)
      const archive = await packFolder(await openConfined(resolve(from)), '', anyLimits, err).catch(inWords)
      const { data } = await client().upload<Unpacked>(url(intern, '/archive', { path }), archive)
      out(
        `Wrote ${data.files} files, ${data.bytes} bytes, to ${printableExactly(path || 'the workspace')} of "${intern}".`,
      )
    })
}

async function everyEntry(read: (query: Record<string, string>) => Promise<Page>): Promise<ListedFile[]> {
  const all: ListedFile[] = []
  for (let query: Record<string, string> = { limit: '1000' }; ; ) {
    const { data, has_more, next_cursor } = await read(query)
    all.push(...data)
    if (!has_more || !next_cursor) return all
    query = { limit: '1000', starting_after: next_cursor }
  }
}

export function fileTable(entries: ListedFile[]): string {
  const rows = entries.map(({ name, kind, size, modified_at, target }) => [
    kind === 'folder' ? '-' : String(size),
    modified_at.slice(0, 19).replace('T', ' '),
    printableExactly(name) + (kind === 'folder' ? '/' : target === null ? '' : ` -> ${printableExactly(target)}`),
  ])
  return table(['BYTES', 'CHANGED (UTC)', 'NAME'], rows)
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** A file that is there is replaced when all has come. */
async function writeWhole(target: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  const draft = `${target}.part`
  try {
    await writeFile(draft, body, { flag: 'wx' })
    await rename(draft, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(draft, { force: true })
    throw new StartupError(`${target} is not written: ${whyUnwritten(error)}.`)
  }
}

async function* readable(from: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(from)
  } catch (error) {
    throw new StartupError(`${from} cannot be read: ${whyUnread(error)}.`)
  }
}

async function tellLeftOut(file: string, err: (text: string) => void): Promise<void> {
  const told = await readFile(file, 'utf8').catch(() => undefined)
  if (told === undefined) return
  err(printable(told.trimEnd()))
  await rm(file)
}

function inWords(error: unknown): never {
  if (error instanceof FileError) throw new StartupError(`The archive ${error.message.replace(/^The archive /, '')}`)
  throw new StartupError(`The folder is not copied: ${(error as Error).message}`)
}
