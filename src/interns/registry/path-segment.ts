/**
 * Encodes a name as a path segment for the daemon. Parsing a URL resolves `.` and `..`, also encoded ones, so these are encoded
 * twice: no session, run or question has such a name.
 */
export function pathSegment(name: string): string {
  return /^\.\.?$/.test(name) ? name.replaceAll('.', '%252E') : encodeURIComponent(name)
}
