import { chownSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config/settings.ts'
import type { Repository } from '#interns/repository.ts'
import { printable } from '#lib/printable.ts'
import { chownAll } from '../intern-home.ts'
import { exceededByDisk, prlimitCommand } from '../resource-limits.ts'
import { cloningUser } from '../user-ids.ts'
import { isNamed, whyNotFrom } from './allowed.ts'
import { GitFailed, runGit } from './git.ts'
import { publicAddresses } from './public-address.ts'

export type CloneDeps = {
  config: Config
  /** The PATH of this process. */
  path: string
  /** A text without this secret, or what looks like one. */
  mask: (text: string, secret: string | undefined) => string
}

export type Wanted = {
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
export async function cloneRepository(deps: CloneDeps, wanted: Wanted): Promise<void> {
  const { home, repository, password, uid } = wanted
  const before = clonedInto(home)
  if (before === placeOf(repository)) return
  const failed = (why: string) => new Error(`The repository ${repository.url} is not cloned: ${why}.`)
  if (before !== undefined) {
    throw failed(`the workspace holds a clone of ${before} already; make another intern for this one`)
  }
  const target = join(home, 'workspace', repository.folder)
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw failed(`the folder "${repository.folder}" of the workspace is there already; rename it`)
  }
  const staging = join(home, 'cloning')
  let moved = false
  try {
    await rm(staging, { recursive: true, force: true })
    await fetchInto(deps, staging, wanted)
    const fetched = join(staging, 'clone')
    if (uid !== undefined) chownAll(fetched, uid)
    renameSync(fetched, target)
    moved = true
    await withinDisk(deps, home)
    await checkOut(deps, target, wanted)
    await withinDisk(deps, home)
    writeFileSync(markerOf(home), JSON.stringify({ place: placeOf(repository) }), { mode: 0o600 })
  } catch (error) {
    if (moved) await rm(target, { recursive: true, force: true })
    throw failed(whyNot(deps, error as Error, password))
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** What its agent is told of it. */
export function aboutRepository({ folder, url }: Repository): string {
  return `The folder "${folder}" of the workspace is a clone of the git repository ${url}. You have no credential for it: others fetch from it what you commit.`
}

async function fetchInto(deps: CloneDeps, staging: string, { repository, password, uid, signal }: Wanted) {
  const { config, path } = deps
  const url = new URL(repository.url)
  const settings: [string, string][] = await pinned(config, url)
  if (repository.credential && password !== undefined) {
    const basic = Buffer.from(`${repository.credential.username}:${password}`).toString('base64')
    settings.push([`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`])
  }
  mkdirSync(staging, { mode: 0o700 })
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
    before: prlimitCommand(config, user),
    signal,
  })
}

/** Its host by the addresses that were looked at: a second look might find others. What the operator named is theirs. */
async function pinned(config: Config, url: URL): Promise<[string, string][]> {
  const why = whyNotFrom(config, url)
  if (why) throw new Error(why)
  if (isNamed(config, url)) return []
  const addresses = await publicAddresses(url.hostname)
  return [['http.curloptResolve', `${url.hostname}:${url.port || 443}:${addresses.join(',')}`]]
}

/** A repository without a commit has no files. */
async function checkOut({ config, path }: CloneDeps, target: string, { uid, signal }: Wanted): Promise<void> {
  const git = (args: string[]) => runGit({ path, args, cwd: target, uid, before: prlimitCommand(config, uid), signal })
  const hasCommit = await git(['rev-parse', '--quiet', '--verify', 'HEAD']).then(
    () => true,
    (error: Error) => {
      if (error instanceof GitFailed) return false
      throw error
    },
  )
  if (hasCommit) await git(['checkout', '--quiet', '--force', 'HEAD', '--'])
}

async function withinDisk({ config }: CloneDeps, home: string): Promise<void> {
  const full = await exceededByDisk(home, config)
  if (full) throw new Error(full.replace(/\.$/, ''))
}

/** In words, without what a server may have made git say of the credential. */
function whyNot({ config, mask }: CloneDeps, error: Error, password: string | undefined): string {
  const { message, name } = error
  if (name === 'TimeoutError') {
    return `it took more than ${config.repository_clone_ms / 1000} seconds (setting "repository_clone_ms")`
  }
  if (name === 'AbortError') return 'the intern was stopped meanwhile'
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'git is not installed on this server'
  if (/Authentication failed|could not read (Username|Password)|returned error: 40[13]/.test(message)) {
    return password === undefined
      ? 'its server wants a credential, or does not have it'
      : 'its server does not take the credential, or does not have it'
  }
  if (/redirect|returned error: 30\d/i.test(message)) return 'its server sends elsewhere; give the address it is at now'
  return printable(mask(message, password)).replace(/\.$/, '')
}

const placeOf = ({ url, ref }: Repository) => (ref === null ? url : `${url} (${ref})`)

/** Beside the workspace, where an intern with a user of its own cannot write. */
const markerOf = (home: string) => join(home, 'cloned.json')

function clonedInto(home: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(markerOf(home), 'utf8')) as { place: string }).place
  } catch {
    return undefined
  }
}
