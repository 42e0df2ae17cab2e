import { chownSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { lchown, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from '#interns/registry/repository.ts'
import type { Config } from '#platform/config/settings.ts'
import { explainConnection } from '#platform/core/connection-failure.ts'
import { type ProxySettings, proxyFor } from '#platform/net/proxies.ts'
import { publicAddresses } from '#platform/net/public-address.ts'
import { killMarked, markerOf as markOf } from '#platform/process/process-marker.ts'
import { printable } from '#platform/text/printable.ts'
import { prlimitCommand, type ResourceLimits } from '../host/resource-limits.ts'
import { cloningUser } from '../host/user-ids.ts'
import { isNamed, whyForbidden } from './allowed.ts'
import { GitFailed, runGit } from './git.ts'
import { watchDisk } from './watch-disk.ts'

/** What an operator says of clones. */
export type CloneRules = ResourceLimits &
  Pick<Config, 'repository_origins' | 'repository_clone_ms' | 'intern_users_from'> &
  ProxySettings

export type CloneDeps = {
  config: CloneRules
  /** The PATH of this process. */
  path: string
  /** Where git is to be installed. */
  host: 'on this server' | 'in its image'
  /** The trusted authorities, as PEM, if not the system's alone. */
  authorities: string | undefined
  /** A text without this secret, or what looks like one. */
  mask: (text: string, secret: string | undefined) => string
  /** Hears when it could not be counted what a clone takes. */
  uncounted: (error: Error) => void
}

export type CloneOptions = {
  home: string
  repository: Repository
  password: string | undefined
  /** The user that the intern runs as, if not as we do. */
  uid: number | undefined
  signal: AbortSignal
}

/**
 * Puts a clone of its repository into an intern's workspace, once. It is fetched where the intern cannot look, by a user
 * of its own where there are such, and by the one process that has the credential; its files are then checked out by the
 * intern's own user, without any.
 * @throws Error that says, for the intern's owner, why it could not be.
 */
export async function cloneRepository(deps: CloneDeps, wanted: CloneOptions): Promise<void> {
  const { home, repository, password, uid } = wanted
  const before = clonedInto(home)
  if (before === placeOf(repository)) return
  const failed = (why: string) => new Error(`The repository ${repository.url} is not cloned: ${why}.`)
  if (before !== undefined) {
    throw failed(`the workspace holds a clone of ${before} already; make another intern for this one`)
  }
  const target = join(home, 'workspace', repository.folder)
  await removeUnfinished(home, target)
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw failed(`the folder "${repository.folder}" of the workspace is there already; rename it`)
  }
  const staging = stagingIn(home)
  await endKilled(home)
  const disk = watchDisk({ home, ...deps })
  const within = { ...wanted, signal: AbortSignal.any([wanted.signal, disk.exceeded]) }
  let moved = false
  try {
    await fetchInto(deps, staging, within)
    const fetched = join(staging, 'clone')
    if (uid !== undefined) await giveAll(fetched, uid)
    noteUnfinished(home, fetched)
    renameSync(fetched, target)
    moved = true
    await checkOut(deps, target, within)
    await disk.look()
    disk.exceeded.throwIfAborted()
    writeFileSync(markerOf(home), JSON.stringify({ place: placeOf(repository) }), { mode: 0o600 })
    await rm(unfinishedIn(home), { force: true })
  } catch (error) {
    if (moved) await rm(target, { recursive: true, force: true })
    await rm(unfinishedIn(home), { force: true })
    throw failed(cloneFailure(deps, error as Error, password, new URL(repository.url).host))
  } finally {
    disk.end()
    await rm(staging, { recursive: true, force: true })
  }
}

const stagingIn = (home: string) => join(home, 'cloning')
const gitMark = (home: string) => `${markOf(join(home, 'workspace'))}-git`

/** What goes on of a clone whose server was killed, and what there is of it: it would be in the way of another. */
export async function endKilled(home: string): Promise<void> {
  if (!lstatSync(stagingIn(home), { throwIfNoEntry: false })) return
  killMarked(gitMark(home))
  await rm(stagingIn(home), { recursive: true, force: true })
}

/** The text that tells the agent about the repository. */
export function aboutRepository({ folder, url }: Repository): string {
  return `The folder "${folder}" of the workspace is a clone of the git repository ${url}. You have no credential for it: others fetch from it what you commit.`
}

async function fetchInto(deps: CloneDeps, staging: string, { home, repository, password, uid, signal }: CloneOptions) {
  const { config, path } = deps
  const url = new URL(repository.url)
  const settings: [string, string][] = await pinned(config, url)
  if (repository.credential && password !== undefined) {
    const basic = Buffer.from(`${repository.credential.username}:${password}`).toString('base64')
    settings.push([`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`])
  }
  mkdirSync(staging, { mode: 0o700 })
  if (deps.authorities !== undefined) {
    const file = join(staging, 'authorities.pem')
    writeFileSync(file, deps.authorities, { mode: 0o644 })
    settings.push(['http.sslCAInfo', file])
  }
  const user = uid === undefined ? undefined : cloningUser(config.intern_users_from)
  if (user !== undefined) chownSync(staging, user, user)
  const options = [
    ...['--quiet', '--no-checkout', '--no-recurse-submodules', '--template=', '--origin=origin'],
    ...(repository.ref === null ? [] : [`--branch=${repository.ref}`]),
    ...(repository.depth === null ? [] : [`--depth=${repository.depth}`]),
  ]
  await runGit({
    path,
    args: ['clone', ...options, '--', url.href, 'clone'],
    cwd: staging,
    settings,
    transports: [url.protocol.slice(0, -1)],
    uid: user,
    mark: gitMark(home),
    before: limitsOf(config, user),
    signal,
  })
}

/** A file may be longer than what is allowed in all: whoever watches that says in words what it is that is too much. */
const limitsOf = (config: CloneRules, uid: number | undefined) =>
  prlimitCommand({ ...config, intern_disk_bytes: config.intern_disk_bytes * 2 }, uid)

/**
 * Git's settings for the connection: through the proxy for this host, or else pinned to the addresses that were checked,
 * since a second look-up might return others. A server that the operator named is not pinned.
 */
async function pinned(config: CloneRules, url: URL): Promise<[string, string][]> {
  const why = whyForbidden(config, url)
  if (why) throw new Error(why)
  const proxy = proxyFor(config, url)
  const isProxied = proxy !== undefined
  const settings: [string, string][] = isProxied ? [['http.proxy', proxy]] : []
  if (isNamed(config, url)) return settings
  const addresses = await publicAddresses(url.hostname, 'repository_origins', { isProxied })
  if (isProxied) return settings
  return [['http.curloptResolve', `${url.hostname}:${url.port || 443}:${addresses.join(',')}`]]
}

/** A repository without a commit has no files. */
async function checkOut(
  { config, path }: CloneDeps,
  target: string,
  { home, uid, signal }: CloneOptions,
): Promise<void> {
  const mark = gitMark(home)
  const git = (args: string[]) => runGit({ path, args, cwd: target, uid, mark, before: limitsOf(config, uid), signal })
  const hasCommit = await git(['rev-parse', '--quiet', '--verify', 'HEAD']).then(
    () => true,
    (error: Error) => {
      if (error instanceof GitFailed) return false
      throw error
    },
  )
  if (hasCommit) await git(['checkout', '--quiet', '--force', 'HEAD', '--'])
}

/** All that stands there; links themselves, not what they lead to. */
async function giveAll(path: string, owner: number): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    await (entry.isDirectory() ? giveAll(below, owner) : lchown(below, owner, owner))
  }
  await lchown(path, owner, owner)
}

/** In words, without what a server may have made git say of the credential. */
function cloneFailure(
  { config, mask, host }: CloneDeps,
  error: Error,
  password: string | undefined,
  server: string,
): string {
  const { message, name } = error
  if (name === 'TimeoutError') {
    return `it took more than ${config.repository_clone_ms / 1000} seconds (setting "repository_clone_ms")`
  }
  if (name === 'AbortError') return 'the intern was stopped meanwhile'
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `git is not installed ${host}`
  if (/Authentication failed|could not read (Username|Password)|returned error: 40[13]/.test(message)) {
    return password === undefined
      ? 'its server wants a credential, or does not have it'
      : 'its server does not take the credential, or does not have it'
  }
  const explained = explainConnection(error, server)
  if (explained !== undefined) return explained
  if (/redirect|returned error: 30\d/i.test(message)) return 'its server sends elsewhere; give the address it is at now'
  return printable(mask(message, password)).replace(/\.$/, '')
}

const placeOf = ({ url, ref }: Repository) => (ref === null ? url : `${url} (${ref})`)

/** Beside the workspace, where an intern with a user of its own cannot write. */
const markerOf = (home: string) => join(home, 'cloned.json')

/** Names the folder that is about to be moved into the workspace, by what a move does not change. */
const unfinishedIn = (home: string) => join(home, 'cloning.json')

function noteUnfinished(home: string, fetched: string): void {
  const { dev, ino } = lstatSync(fetched)
  writeFileSync(unfinishedIn(home), JSON.stringify({ dev, ino }), { mode: 0o600 })
}

/** What a server left that was killed before its clone was checked out; a folder that somebody else made stays. */
async function removeUnfinished(home: string, target: string): Promise<void> {
  const there = lstatSync(target, { throwIfNoEntry: false })
  const noted = readNote<{ dev: number; ino: number }>(unfinishedIn(home))
  if (there && noted && there.dev === noted.dev && there.ino === noted.ino)
    await rm(target, { recursive: true, force: true })
  await rm(unfinishedIn(home), { force: true })
}

const clonedInto = (home: string) => readNote<{ place: string }>(markerOf(home))?.place

function readNote<Note>(file: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Note
  } catch {
    return undefined
  }
}
