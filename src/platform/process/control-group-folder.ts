import { join } from 'node:path'

/** @param cgroup the text of `/proc/self/cgroup`. @returns the path of the process's control group (cgroup v2), if it has one. */
export const readGroupPath = (cgroup: string): string | undefined => /^0::(\/.*)$/m.exec(cgroup)?.[1]

/**
 * Finds the folder of a control group in the file system.
 * @param path the path of the group in the hierarchy.
 * @param mountinfo the text of `/proc/self/mountinfo`.
 * @returns undefined if the group is not mounted.
 */
export function findGroupFolder(path: string, mountinfo: string): string | undefined {
  // A line: three numbers, the mounted root, the mount point, optional fields, `-`, and the type of file system.
  for (const line of mountinfo.split('\n')) {
    const [, , , root = '', point = '', ...remainingFields] = line.split(' ')
    if (remainingFields[remainingFields.indexOf('-') + 1] !== 'cgroup2') continue
    const above = root === '/' ? '' : root
    if (path === above || path.startsWith(`${above}/`)) return join(point, path.slice(above.length))
  }
  return undefined
}
