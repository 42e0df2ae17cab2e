import { readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The limit of the Linux kernel. */
const maxLinks = 40

/**
 * Resolves the current symbolic links of an absolute path in the order of the kernel: name by name, with `..` relative to
 * the target of a link. The path and the targets of links need not exist.
 */
export function resolveLinks(path: string): string {
  let resolved = '/'
  let links = 0
  const remaining = splitNames(path)
  for (let name = remaining.pop(); name !== undefined; name = remaining.pop()) {
    if (name === '..') resolved = dirname(resolved)
    else {
      const next = join(resolved, name)
      const target = readLink(next)
      if (target === undefined) resolved = next
      else {
        if (++links > maxLinks) return path
        if (target.startsWith('/')) resolved = '/'
        remaining.push(...splitNames(target))
      }
    }
  }
  return resolved
}

/** The names of a path, the last one first. */
const splitNames = (path: string) =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse()

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
