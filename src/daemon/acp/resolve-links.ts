import { readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** As the kernel has it. */
const mostLinks = 40

/**
 * Where a whole path leads by the links that are there now, as the kernel goes: name by name, `..` from where a link has
 * led, and to what is not there yet, also by a link to it.
 */
export function resolveLinks(path: string): string {
  let there = '/'
  let links = 0
  const left = namesOf(path)
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '..') there = dirname(there)
    else {
      const next = join(there, name)
      const target = linkAt(next)
      if (target === undefined) there = next
      else {
        if (++links > mostLinks) return path
        if (target.startsWith('/')) there = '/'
        left.push(...namesOf(target))
      }
    }
  }
  return there
}

/** The last first. */
const namesOf = (path: string) =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse()

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
