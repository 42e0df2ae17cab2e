const skippedHeader =
  /^(diff --git |index [0-9a-f]+\.\.|new file mode |deleted file mode |old mode |new mode |similarity index |rename (from|to) )/

/** Converts a patch of diff or git to sections. Returns a patch that already has sections unchanged. */
export function toSections(patch: string): string {
  const hasSections = /^\*\*\* (Add|Update|Delete) File: /m.test(patch)
  if (hasSections || !/^(--- .*\r?\n\+\+\+ |diff --git )/m.test(patch)) return patch
  const lines = patch.replace(/\r\n/g, '\n').split('\n')
  const patchLines: string[] = []
  let operation: 'add' | 'delete' | 'update' = 'update'
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const next = lines[at + 1] ?? ''
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      const before = readPath(line)
      const after = readPath(next)
      operation = before === undefined ? 'add' : after === undefined ? 'delete' : 'update'
      patchLines.push(...toHeadings(before, after))
      at++
    } else if (line.startsWith('diff --git ')) {
      operation = 'update'
      patchLines.push(...headingsWithoutLines(lines, at))
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

/** Returns the section of a file that git moves, adds or deletes without a changed line. Git writes only headers for it. */
function headingsWithoutLines(lines: string[], at: number): string[] {
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => line.startsWith('diff --git ') || !skippedHeader.test(line))
  const headers = end === -1 ? rest : rest.slice(0, end)
  if (rest[headers.length]?.startsWith('--- ')) return []
  const headerValue = (name: string) => headers.find((line) => line.startsWith(name))?.slice(name.length)
  const [from, to] = [headerValue('rename from '), headerValue('rename to ')]
  if (from !== undefined && to !== undefined) return toHeadings(from, to)
  const path = /^diff --git a\/(.+) b\/\1$/.exec(lines[at]!)?.[1]
  if (path !== undefined && headerValue('new file mode') !== undefined) return toHeadings(undefined, path)
  if (path !== undefined && headerValue('deleted file mode') !== undefined) return toHeadings(path, undefined)
  return []
}

/** Returns the path in a header line without git's prefixes `a/` and `b/`. */
function readPath(line: string): string | undefined {
  const name = line.slice(4).split('\t')[0]!.trim()
  return name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '')
}

function toHeadings(before: string | undefined, after: string | undefined): string[] {
  if (before === undefined) return [`*** Add File: ${after}`]
  if (after === undefined) return [`*** Delete File: ${before}`]
  return [`*** Update File: ${before}`, ...(before === after ? [] : [`*** Move to: ${after}`])]
}
