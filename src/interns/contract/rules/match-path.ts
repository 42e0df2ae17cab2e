import { posix } from 'node:path'
import { matchesGlob, matchesList } from './glob.ts'

/**
 * Whether a path is one that a glob means. `*` is within one name, `**` any folders; `dir/**` is the folder, too. A glob
 * without `/` at its start is within the workspace.
 */
export function pathMatches(glob: string, path: string): boolean {
  return matchesList(posix.normalize(glob).split('/'), path.split('/'), '**', matchesGlob)
}

/** Some file systems take names for one that differ in case, or in how an accent is written. */
export const foldedPath = (path: string) => path.normalize('NFC').toLowerCase()

/** A path, told in `folder`, as seen from a root where it is within it, else from the root of all; without `..`. */
export function pathFrom(root: string, path: string, folder = root): string {
  const whole = posix.resolve(folder, path)
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
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\@]+$/i.test(address)) return undefined
  // A scheme that the standard does not know leaves the host as it is written.
  const url = URL.parse(address) && URL.parse(address.replace(/^[a-z][a-z0-9+.-]*:/i, 'http:'))
  return url?.hostname.toLowerCase().replace(/\.$/, '') || undefined
}

/** What programs take for the dot of a name. */
const dot = '[.\\u3002\\uff0e\\uff61]'
const label = '[\\p{L}\\p{N}_%-]+'
const dotted = new RegExp(`(?<![\\p{L}\\p{N}_%-])${label}(?:${dot}${label})+${dot}?|\\[[0-9a-f:.]+\\]|localhost`, 'giu')
/** A name of one word where an address has its host. */
const single = new RegExp(`(?<=\\/\\/|@)${label}(?=[:/?#\\s]|$)`, 'giu')
/** A number may be an address, too: 2130706433 is 127.0.0.1. */
const numbers = /(?<=\/\/|@)(?:0x[0-9a-f]+|\d+)(?=[:/?#\s]|$)|(?<![\w.-])(?:0x[0-9a-f]{6,8}|\d{8,12})(?![\w.-])/gi

/** Every host that a text may name, however an address is written: `host/path`, `user@host:path`, `https://host`. */
export function hostsWithin(text: string): string[] {
  const names = [...(text.match(dotted) ?? []), ...(text.match(single) ?? [])]
  const written = names.map((host) => hostOf(`http://${host}/`) ?? host.toLowerCase())
  return [
    ...new Set([...written, ...(text.match(numbers) ?? []).flatMap((number) => hostOf(`http://${number}/`) ?? [])]),
  ]
}

/** Whether an address has a part that curl fills in: `https://{a,b}.example`, `https://a[1-9].example`. */
export const mayNameOthers = (text: string) => /:\/\/[^\s/]*(?:\{|\[(?![0-9a-f:.]+\]))/i.test(text)
