import { z } from 'zod'
import { aboutFile, readBytes, writeText } from '../workspace.ts'
import { exactTextOf } from './text.ts'
import { tool } from './tool.ts'

const mostBytes = 10 * 1024 * 1024

export const editFile = tool({
  name: 'edit_file',
  description: [
    'Change a part of a text file: old_text is replaced by new_text. old_text must stand in the file exactly once, to',
    'the last space and line end, without the line numbers read_file shows: give enough lines around the change to make',
    'it unique, or set replace_all to change every place.',
  ].join(' '),
  kind: 'edit',
  alone: true,
  input: z.object({
    path: z.string().min(1).describe('The file, relative to the workspace.'),
    old_text: z.string().min(1).describe('The text to replace, exactly as it stands in the file.'),
    new_text: z.string().describe('What comes in its place.'),
    replace_all: z.boolean().optional().describe('Replace every place where old_text stands.'),
  }),
  title: ({ path }) => `Edit ${path}`,
  async run({ path, old_text, new_text, replace_all = false }, { workspace }) {
    const { bytes, size } = await readBytes(workspace, path, mostBytes)
    const { text, places } = await aboutFile(path, async () => {
      if (size > mostBytes) throw new Error(`has ${size} bytes, too many to edit`)
      return replaced(exactTextOf(bytes), old_text, new_text, replace_all)
    })
    await writeText(workspace, path, text)
    return places.length === 1
      ? `Changed ${path} at line ${places[0]}.`
      : `Changed ${path} in ${places.length} places (lines ${places.slice(0, 20).join(', ')}).`
  },
})

function replaced(text: string, old_text: string, new_text: string, all: boolean) {
  const [before, after] = asInFile(text, old_text, new_text)
  if (before === after) throw new Error('stays as it is: old_text and new_text are the same')
  const places = linesWith(text, before)
  if (!places.length) throw new Error(notFound(text, before))
  if (places.length === 1 || all) return { text: text.split(before).join(after), places }
  const where = places.slice(0, 20).join(', ')
  throw new Error(`has old_text ${places.length} times (lines ${where}): give more lines around it, or set replace_all`)
}

/** A file with Windows line ends keeps them, though models write plain ones. */
function asInFile(text: string, before: string, after: string): [string, string] {
  if (!text.includes('\r\n') || before.includes('\r\n')) return [before, after]
  return [before.replaceAll('\n', '\r\n'), after.replace(/\r?\n/g, '\r\n')]
}

function linesWith(text: string, part: string): number[] {
  const lines: number[] = []
  let [line, from] = [1, 0]
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    line += text.slice(from, at).split('\n').length - 1
    from = at
    lines.push(line)
  }
  return lines
}

/** The usual mistake is in the spaces: then it says where the text stands with others. */
function notFound(text: string, part: string): string {
  const bare = (each: string) => each.replace(/\s+/g, ' ').trim()
  const first = bare(part.trim().split('\n')[0] ?? '')
  const near = first ? text.split('\n').findIndex((line) => bare(line) === first) : -1
  if (near === -1) return 'does not contain old_text: read the file again'
  return `does not contain old_text exactly; line ${near + 1} begins like it, but spaces or later lines differ: read the file again`
}
