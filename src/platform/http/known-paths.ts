import { Fault } from '../core/fault.ts'
import type { AnyRoute } from './route.ts'

/** The longest parameter of a path, in characters. */
export const longestParameter = 1024

export const pathPartTooLong = () =>
  new Fault('invalid', `A part of the path has more than ${longestParameter} characters.`)

/** A path of the route table in the router's syntax, with its methods. */
export type KnownPath = { url: string; methods: ReadonlySet<string>; allow: string }

/** Converts `/guardrails/{id}` to the router's syntax. */
export const routerPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** Returns the distinct paths of a table. */
export function listKnownPaths<Caller, Deps>(routes: AnyRoute<Caller, Deps>[], prefix: string): KnownPath[] {
  const methodsByUrl = new Map<string, Set<string>>()
  for (const route of routes) {
    const url = prefix + routerPath(route.path)
    const methods = methodsByUrl.get(url) ?? new Set<string>()
    methods.add(route.method.toUpperCase())
    if (route.method === 'get' && !route.events && !route.downloads) methods.add('HEAD')
    methodsByUrl.set(url, methods)
  }
  return [...methodsByUrl].map(([url, methods]) => ({ url, methods, allow: [...methods].sort().join(', ') }))
}

/**
 * Methods that a path lacks, while another path that matches the same requests has them. Without an entry for this
 * path, the router would find `DELETE /keys/{hash}` for `DELETE /keys/all`.
 */
export function findShadowedMethods(all: readonly KnownPath[]): Map<KnownPath, string[]> {
  const contested = new Map<KnownPath, string[]>()
  /** Paths with the same number of parts: only those can match the same requests. */
  const entriesByLength = new Map<number, { parts: string[]; methods: Set<string> }[]>()
  // An entry of a path can itself hide another path that has more fixed parts.
  for (const { path, parts } of sortPatterns(all).reverse()) {
    const entries = entriesByLength.get(parts.length) ?? []
    const overlapping = entries.filter((entry) => canMatchSamePath(entry.parts, parts))
    const others = new Set(overlapping.flatMap(({ methods }) => [...methods])).difference(path.methods)
    entries.push({ parts, methods: path.methods.union(others) })
    entriesByLength.set(parts.length, entries)
    if (others.size > 0) contested.set(path, [...others])
  }
  return contested
}

const isParameter = (part: string) => part.startsWith(':')

/** Both have the same number of parts. */
const canMatchSamePath = (one: string[], other: string[]) =>
  one.every((part, index) => part === other[index] || isParameter(part) || isParameter(other[index]!))

type Pattern = { path: KnownPath; parts: string[] }

/** Sorts paths by the router's precedence: fixed parts before parameters. */
function sortPatterns(all: readonly KnownPath[]): Pattern[] {
  // `!` sorts before all characters of fixed parts.
  const keyed = all.map((path) => ({ path, parts: path.url.split('/'), key: path.url.replace(/:\w+/g, '!') }))
  return keyed.sort((a, b) => (a.key < b.key ? 1 : -1))
}

/** Finds the known path of a request that matches no route; undefined if the path is unknown too. */
type PathFinder = (request: { url: string }) => KnownPath | undefined

/**
 * Matches paths as the router does. The router itself would need an entry for each missing method, which is four of
 * five.
 */
export function createPathFinder(all: readonly KnownPath[]): PathFinder {
  let patterns: Pattern[] | undefined
  return ({ url }) => {
    patterns ??= sortPatterns(all)
    const requested = splitPath(url)
    return patterns.find(({ parts }) => matches(parts, requested))?.path
  }
}

const matches = (parts: string[], requested: string[]) =>
  parts.length === requested.length && parts.every((part, at) => part === requested[at] || isParameter(part))

/** Splits a path into decoded parts. */
export function splitPath(target: string): string[] {
  const path = parsePath(target)
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/').map(decodeURIComponent)
}

/** A request target can contain a host (for a proxy) or a fragment. Neither is part of the path. */
export const parsePath = (target: string) => target.replace(/^https?:\/\/[^/?]*/i, '').split(/[?#]/, 1)[0] ?? ''
