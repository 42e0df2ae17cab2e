import { withFilePath } from '#platform/files/file-error.ts'
import { z } from '#platform/json/schema.ts'
import { detectImageType, maxImageBytes } from '../images.ts'
import { defineTool, type ToolOutput } from '../tool.ts'
import { withSuggestions } from './similar-files.ts'
import { decodeText } from './text.ts'
import { readBytes } from './workspace.ts'

const limits = { lines: 2_000, bytes: 10 * 1024 * 1024, characters: 60_000, line: 2_000 }

export const readFile = defineTool({
  name: 'read_file',
  description: [
    'Read a text file or an image of the workspace. Each line starts with its number and a tab, which are not part of',
    `the file. One call returns at most ${limits.lines} lines: use offset and limit to read the others. Read a file before`,
    'you edit it. If you need several files, read them in parallel calls.',
  ].join(' '),
  kind: 'read',
  runsAlone: false,
  input: z.object({
    path: z.string().min(1).describe('The file, relative to the workspace.'),
    offset: z.int().min(1).optional().describe('The first line to show, from 1.'),
    limit: z.int().min(1).max(limits.lines).optional().describe('The maximum number of lines to show.'),
  }),
  title: ({ path }) => `Read ${path}`,
  async run({ path, offset = 1, limit = limits.lines }, { workspace }) {
    const { bytes, size } = await withSuggestions(workspace, path, () => readBytes(workspace, path, limits.bytes))
    if (size === 0) return `(${path} is empty)`
    const type = detectImageType(bytes)
    if (type) return imageResult(path, type, bytes, size)
    const lines = (await withFilePath(path, async () => decodeText(bytes))).replace(/\n$/, '').split('\n')
    if (offset > lines.length) throw new Error(pastEndMessage(path, offset, lines.length, size))
    const page = numberLines(lines.slice(offset - 1, offset - 1 + limit), offset)
    const last = offset - 1 + page.length
    const hasMore = last < lines.length || size > bytes.length
    return hasMore
      ? `${page.join('\n')}\n[lines ${offset} to ${last} of ${lines.length}${unreadNote(size)}]`
      : page.join('\n')
  },
})

function imageResult(path: string, type: string, bytes: Buffer, size: number): ToolOutput {
  if (size > maxImageBytes)
    throw new Error(
      `${path} is an image of ${size} bytes; at most ${maxImageBytes} can be read. Make a smaller copy first.`,
    )
  return { text: `[${path}: ${type}, ${size} bytes]`, images: [{ mimeType: type, data: bytes.toString('base64') }] }
}

/** Numbers lines up to the limit of characters. */
function numberLines(lines: string[], first: number): string[] {
  const page: string[] = []
  let size = 0
  for (const [index, line] of lines.entries()) {
    const shortened = line.length > limits.line ? `${line.slice(0, limits.line)} … (${line.length} characters)` : line
    size += shortened.length
    if (size > limits.characters && page.length) break
    page.push(`${first + index}\t${shortened}`)
  }
  return page
}

const unreadNote = (size: number) =>
  size > limits.bytes
    ? `, of whose ${size} bytes the first ${limits.bytes} were read: find what you need with search, or with grep and tail in the shell`
    : ''

/** The number of lines that the suggested command prints. */
const suggestedLines = 50

function pastEndMessage(path: string, line: number, lines: number, size: number): string {
  if (size <= limits.bytes) return `${path} has only ${lines} lines.`
  const command = `sed -n '${line},${line + suggestedLines - 1}p'`
  return `Line ${line} of ${path} is after its first ${limits.bytes} bytes, the most that is read: see it with the shell (${command}).`
}
