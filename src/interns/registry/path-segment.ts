/**
 * A name as one segment of a path of the daemon. A daemon resolves `.` and `..`, encoded too, when it parses the path, so
 * these are encoded twice: no session, run or question has such a name.
 */
export function pathSegment(name: string): string {
  return /^\.\.?$/.test(name) ? name.replaceAll('.', '%252E') : encodeURIComponent(name)
}
