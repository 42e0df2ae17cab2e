import { isAbsolute, join, normalize } from 'node:path'

/**
 * Whether the target of a link stays below the root. `folder` is the folder of the link, relative to the root. A target with `..`
 * after a name is refused, because the name can be a link to a higher folder.
 */
export function isTargetInside(folder: string, target: string): boolean {
  if (target === '' || isAbsolute(target)) return false
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  const firstName = parts.findIndex((part) => part !== '..')
  if (firstName !== -1 && parts.slice(firstName).includes('..')) return false
  const reached = normalize(join(folder, ...parts))
  return reached !== '..' && !reached.startsWith('../')
}
