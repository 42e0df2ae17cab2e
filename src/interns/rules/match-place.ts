import { posix } from 'node:path'
import { matchesGlob, matchesList } from './glob.ts'

/**
 * Whether a path is one that a glob means. `*` is within one name, `**` any folders; `dir/**` is the folder, too. A glob
 * without `/` at its start is within the workspace.
 */
export function pathMatches(glob: string, path: string): boolean {
  return matchesList(posix.normalize(glob).split('/'), path.split('/'), '**', matchesGlob)
}

/** A path as seen from a folder where it is within it, else from the root of all; without `..`. */
export function pathFrom(root: string, path: string): string {
  const whole = posix.resolve(root, path)
  if (whole === root) return '.'
  return root !== '/' && whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : whole
}

/** `*.example.com` is every host below `example.com`, and not itself. */
export function hostMatches(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase()
  if (wanted === '*') return true
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted
}

/** The host of an address, in one form for all ways to write it; undefined where programs may read it differently. */
export function hostOf(address: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\@]+$/i.test(address) || !URL.canParse(address)) return undefined
  // A scheme that the standard does not know leaves the host as it is written.
  const { hostname } = new URL(address.replace(/^[a-z][a-z0-9+.-]*:/i, 'http:'))
  return hostname.toLowerCase().replace(/\.$/, '') || undefined
}

/** Every host that a text may name, however an address is written: `host/path`, `user@host:path`, `https://host`. */
export function hostsWithin(text: string): string[] {
  const found = text.match(/[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+\.?|\[[0-9a-f:.]+\]|localhost/giu) ?? []
  const written = found.map((host) => hostOf(`http://${host}/`) ?? host.toLowerCase())
  // A number may be an address, too: 2130706433 is 127.0.0.1.
  const numbers = text.match(/(?<=\/\/|@)(?:0x[0-9a-f]+|\d+)(?=[:/]|$)/gi) ?? []
  return [...new Set([...written, ...numbers.flatMap((number) => hostOf(`http://${number}/`) ?? [])])]
}
