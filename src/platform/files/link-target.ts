import { isAbsolute, join, normalize } from 'node:path'

/**
 * Whether a link in this folder, named relative to the root, stays below the root. Ways that go up behind a name do not
 * count as staying: the name may be a link to a place higher up.
 */
export function staysBelow(folder: string, target: string): boolean {
  if (target === '' || isAbsolute(target)) return false
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const firstName = parts.findIndex((part) => part !== '..')
  if (firstName !== -1 && parts.slice(firstName).includes('..')) return false
  const reached = normalize(join(folder, ...parts))
  return reached !== '..' && !reached.startsWith('../')
}
