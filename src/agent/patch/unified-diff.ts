const skippedHeader =
  /^(diff --git |index [0-9a-f]+\.\.|new file mode |deleted file mode |old mode |new mode |similarity index |rename (from|to) )/

/** Converts a patch of diff or git to sections. Returns a patch that already has sections unchanged. */
export function toSections(patch: string): string {
  const hasSections = /^\*\*\* (Add|Update|Delete) File: /m.test(patch)
  if (hasSections || !/^(--- .*\r?\n\+\+\+ |diff --git )/m.test(patch)) return patch
  const lines = patch.replace(/\r\n/g, '\n').split('\n')
  const patchLines: string[] = []
  let operation: 'add' | 'delete' | 'update' = 'update'
  let mode: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const next = lines[at + 1] ?? ''
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      const oldPath = readPath(line)
      const newPath = readPath(next)
      operation = oldPath === undefined ? 'add' : newPath === undefined ? 'delete' : 'update'
      patchLines.push(...toHeadings(oldPath, newPath, mode))
      mode = undefined
      at++
    } else if (line.startsWith('diff --git ')) {
      operation = 'update'
      const headers = readHeaders(lines, at + 1)
      mode = findValue(headers, 'new mode ') ?? findValue(headers, 'new file mode ')
      if (!lines[at + 1 + headers.length]?.startsWith('--- ')) patchLines.push(...headingsWithoutLines(line, headers))
    } else if (
      skippedHeader.test(line) ||
      (operation === 'delete' && line !== '') ||
      (operation === 'add' && line.startsWith('@@'))
    ) {
      // Sections have no other headers, no lines of a deleted file, and no hunk header in a new file.
    } else patchLines.push(line)
  }
  return patchLines.join('\n')
}

/** Returns the header lines of git for one file. */
function readHeaders(lines: string[], from: number): string[] {
  const rest = lines.slice(from)
  const end = rest.findIndex((line) => line.startsWith('diff --git ') || !skippedHeader.test(line))
  return end === -1 ? rest : rest.slice(0, end)
}

const findValue = (headers: string[], name: string) =>
  headers
    .find((line) => line.startsWith(name))
    ?.slice(name.length)
    .trim()

/** Returns the section of a file that git changes without a changed line, for which it writes only headers. */
function headingsWithoutLines(line: string, headers: string[]): string[] {
  const [from, to] = [findValue(headers, 'rename from '), findValue(headers, 'rename to ')]
  const mode = findValue(headers, 'new mode ')
  if (from !== undefined && to !== undefined) return toHeadings(from, to, mode)
  const path = /^diff --git a\/(.+) b\/\1$/.exec(line)?.[1]
  // The caller refuses the line.
  if (path === undefined) return headers.length === 0 ? [] : [line]
  const newFileMode = findValue(headers, 'new file mode ')
  if (newFileMode !== undefined) return toHeadings(undefined, path, newFileMode)
  if (findValue(headers, 'deleted file mode ') !== undefined) return toHeadings(path, undefined)
  return mode === undefined ? [] : toHeadings(path, path, mode)
}

/** Returns the path in a header line without git's prefixes `a/` and `b/`. */
function readPath(line: string): string | undefined {
  const name = line.slice(4).split('\t')[0]!.trim()
  return name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '')
}

/** @param mode the new mode of git, such as `100755`. */
function toHeadings(oldPath: string | undefined, newPath: string | undefined, mode?: string): string[] {
  if (newPath === undefined) return [`*** Delete File: ${oldPath}`]
  const modeLines = mode === undefined || (oldPath === undefined && mode === '100644') ? [] : [`*** Mode: ${mode}`]
  if (oldPath === undefined) return [`*** Add File: ${newPath}`, ...modeLines]
  return [`*** Update File: ${oldPath}`, ...(oldPath === newPath ? [] : [`*** Move to: ${newPath}`]), ...modeLines]
}
