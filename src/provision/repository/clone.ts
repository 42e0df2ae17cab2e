import { chownSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { lchown, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '#interns/registry/repository.ts'
import type { Config } from '#platform/config/settings.ts'
import { explainTlsOrProxyFailure } from '#platform/core/connection-failure.ts'
import { Fault } from '#platform/core/fault.ts'
import { resolvePublicAddresses } from '#platform/net/addresses/public-address.ts'
import { findProxy, type ProxySettings } from '#platform/net/proxies.ts'
import { createMark, killMarked } from '#platform/process/process-marker.ts'
import { printable } from '#platform/text/printable.ts'
import { prlimitCommand, type ResourceLimits } from '../host/resource-limits.ts'
import { getCloningUser } from '../host/user-ids.ts'
import { findForbiddenReason, isListedOrigin } from './allowed-origins.ts'
import { runGit } from './git.ts'
import { watchDisk } from './watch-disk.ts'

/** The operator's settings for clones. */
export type CloneRules = ResourceLimits &
  Pick<Config, 'repository_origins' | 'repository_clone_ms' | 'intern_users_from'> &
  ProxySettings

export type CloneDeps = {
  config: CloneRules
  /** The PATH of this process. */
  path: string
  /** Where git must be installed, for messages. */
  gitLocation: 'on this server' | 'in its image'
  /** The trusted CA certificates as PEM; undefined for those of the system. */
  caCertificates: string | undefined
  /** Removes this secret, and what looks like a secret, from a text. */
  mask: (text: string, secret: string | undefined) => string
  /** Called when the disk use of a clone could not be measured. */
  onMeasureError: (error: Error) => void
}

type CloneOptions = {
  home: string
  repository: Repository
  password: string | undefined
  /** The user that the intern runs as; undefined for the user of this process. */
  uid: number | undefined
  signal: AbortSignal
}

/**
 * Clones the repository of an intern into its workspace, once. A separate user, if there is one, fetches it into a folder
 * that the intern cannot read. Only this process has the credential. Then the intern's user checks out the files, without the
 * credential.
 * @throws Error with the reason, written for the intern's owner.
 */
export async function cloneRepository(deps: CloneDeps, options: CloneOptions): Promise<void> {
  const { home, repository, password, uid } = options
  const clonedSource = readClonedSource(home)
  if (clonedSource === describeSource(repository)) return
  const createError = (reason: string) => new Error(`The repository ${repository.url} is not cloned: ${reason}.`)
  if (clonedSource !== undefined) {
    throw createError(`the workspace already contains a clone of ${clonedSource}; create another intern for this one`)
  }
  const target = join(home, 'workspace', repository.folder)
  await removeUnfinished(home, target)
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw createError(`the workspace already has a folder "${repository.folder}"; rename it`)
  }
  const staging = stagingFolder(home)
  await endInterruptedClone(home)
  const disk = watchDisk({ home, ...deps })
  const limitedOptions = { ...options, signal: AbortSignal.any([options.signal, disk.exceededSignal]) }
  let isMoved = false
  try {
    await fetchClone(deps, staging, limitedOptions)
    const fetchedFolder = join(staging, 'clone')
    if (uid !== undefined) await changeOwner(fetchedFolder, uid)
    writeUnfinished(home, fetchedFolder)
    renameSync(fetchedFolder, target)
    isMoved = true
    await checkOutCommit(deps, target, limitedOptions)
    await disk.check()
    disk.exceededSignal.throwIfAborted()
    writeFileSync(clonedFile(home), JSON.stringify({ place: describeSource(repository) }), { mode: 0o600 })
    await rm(unfinishedFile(home), { force: true })
  } catch (error) {
    if (isMoved) await rm(target, { recursive: true, force: true })
    await rm(unfinishedFile(home), { force: true })
    throw createError(explainCloneFailure(deps, error as Error, password, new URL(repository.url).host))
  } finally {
    disk.stop()
    await rm(staging, { recursive: true, force: true })
  }
}

const stagingFolder = (home: string) => join(home, 'cloning')
const gitMark = (home: string) => `${createMark(join(home, 'workspace'))}-git`

/** Ends a clone whose server was killed and removes its files, so that the clone can start again. */
export async function endInterruptedClone(home: string): Promise<void> {
  if (!lstatSync(stagingFolder(home), { throwIfNoEntry: false })) return
  killMarked(gitMark(home))
  await rm(stagingFolder(home), { recursive: true, force: true })
}

/** The sentences about the repository in the agent's instructions. */
export function describeRepository({ folder, url }: Repository): string {
  return `The folder "${folder}" of the workspace is a clone of the git repository ${url}. You have no credential for it: others fetch your commits from this clone.`
}

async function fetchClone(deps: CloneDeps, staging: string, { home, repository, password, uid, signal }: CloneOptions) {
  const { config, path } = deps
  const url = new URL(repository.url)
  const settings: [string, string][] = await createConnectionSettings(config, url)
  if (repository.credential && password !== undefined) {
    const basic = Buffer.from(`${repository.credential.username}:${password}`).toString('base64')
    settings.push([`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`])
  }
  mkdirSync(staging, { mode: 0o700 })
  if (deps.caCertificates !== undefined) {
    const file = join(staging, 'ca.pem')
    writeFileSync(file, deps.caCertificates, { mode: 0o644 })
    settings.push(['http.sslCAInfo', file])
  }
  const user = uid === undefined ? undefined : getCloningUser(config.intern_users_from)
  if (user !== undefined) chownSync(staging, user, user)
  const cloneArguments = [
    ...['--quiet', '--no-checkout', '--no-recurse-submodules', '--template=', '--origin=origin'],
    ...(repository.ref === null ? [] : [`--branch=${repository.ref}`]),
    ...(repository.depth === null ? [] : [`--depth=${repository.depth}`]),
  ]
  await runGit({
    path,
    args: ['clone', ...cloneArguments, '--', url.href, 'clone'],
    cwd: staging,
    settings,
    transports: [url.protocol.slice(0, -1)],
    uid: user,
    mark: gitMark(home),
    wrapper: createLimitCommand(config, user),
    signal,
  })
}

/** The limit of one file is twice the limit of all files, which `watchDisk` enforces and reports in words. */
const createLimitCommand = (config: CloneRules, uid: number | undefined) =>
  prlimitCommand({ ...config, intern_disk_bytes: config.intern_disk_bytes * 2 }, uid)

/**
 * Git's settings for the connection: through the proxy for this host, or else pinned to the addresses that were checked,
 * because a second look-up could return others. A server that the operator named is not pinned.
 */
async function createConnectionSettings(config: CloneRules, url: URL): Promise<[string, string][]> {
  const reason = findForbiddenReason(config, url)
  if (reason) throw new Error(reason)
  const proxy = findProxy(config, url)
  const isProxied = proxy !== undefined
  const settings: [string, string][] = isProxied ? [['http.proxy', proxy]] : []
  if (isListedOrigin(config, url)) return settings
  const addresses = await resolvePublicAddresses(url.hostname, 'repository_origins', { isProxied })
  if (isProxied) return settings
  return [['http.curloptResolve', `${url.hostname}:${url.port || 443}:${addresses.join(',')}`]]
}

/** Checks out the files of the commit. A repository without a commit has no files. */
async function checkOutCommit(
  { config, path }: CloneDeps,
  target: string,
  { home, uid, signal }: CloneOptions,
): Promise<void> {
  const mark = gitMark(home)
  const git = (args: string[]) =>
    runGit({ path, args, cwd: target, uid, mark, wrapper: createLimitCommand(config, uid), signal })
  const hasCommit = await git(['rev-parse', '--quiet', '--verify', 'HEAD']).then(
    () => true,
    (error: Error) => {
      if (error instanceof Fault) return false
      throw error
    },
  )
  if (hasCommit) await git(['checkout', '--quiet', '--force', 'HEAD', '--'])
}

/** Changes the owner of a folder and of everything in it; of links themselves, not of their targets. */
async function changeOwner(path: string, owner: number): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    await (entry.isDirectory() ? changeOwner(below, owner) : lchown(below, owner, owner))
  }
  await lchown(path, owner, owner)
}

/** The reason in words, without the credential, which a server can make git print. */
function explainCloneFailure(
  { config, mask, gitLocation }: CloneDeps,
  error: Error,
  password: string | undefined,
  server: string,
): string {
  const { message, name } = error
  if (name === 'TimeoutError') {
    return `it took more than ${config.repository_clone_ms / 1000} seconds (setting "repository_clone_ms")`
  }
  if (name === 'AbortError') return 'the intern was stopped'
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `git is not installed ${gitLocation}`
  if (/Authentication failed|could not read (Username|Password)|returned error: 40[13]/.test(message)) {
    return password === undefined
      ? 'its server requires a credential, or the repository does not exist'
      : 'its server refused the credential, or the repository does not exist'
  }
  const explanation = explainTlsOrProxyFailure(error, server)
  if (explanation !== undefined) return explanation
  if (/redirect|returned error: 30\d/i.test(message)) return 'its server redirects to another address; use that one'
  return printable(mask(message, password)).replace(/\.$/, '')
}

const describeSource = ({ url, ref }: Repository) => (ref === null ? url : `${url} (${ref})`)

/** The file that names the cloned repository. It is next to the workspace, where an intern with a separate user cannot write. */
const clonedFile = (home: string) => join(home, 'cloned.json')

/** The file with the device and inode of the folder that will be moved into the workspace: a move does not change them. */
const unfinishedFile = (home: string) => join(home, 'cloning.json')

function writeUnfinished(home: string, fetchedFolder: string): void {
  const { dev, ino } = lstatSync(fetchedFolder)
  writeFileSync(unfinishedFile(home), JSON.stringify({ dev, ino }), { mode: 0o600 })
}

/** Removes the clone of a server that was killed before the check-out; other folders of that name remain. */
async function removeUnfinished(home: string, target: string): Promise<void> {
  const targetStat = lstatSync(target, { throwIfNoEntry: false })
  const unfinished = readJsonFile<{ dev: number; ino: number }>(unfinishedFile(home))
  if (targetStat && unfinished && targetStat.dev === unfinished.dev && targetStat.ino === unfinished.ino)
    await rm(target, { recursive: true, force: true })
  await rm(unfinishedFile(home), { force: true })
}

const readClonedSource = (home: string) => readJsonFile<{ place: string }>(clonedFile(home))?.place

function readJsonFile<Content>(file: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Content
  } catch {
    return undefined
  }
}
