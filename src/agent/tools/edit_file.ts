import { z } from '#platform/json/schema.ts'
import { nearestPlace, shownLines } from '../patch/near-lines.ts'
import { namingNear } from './near-files.ts'
import { exactTextOf } from './text.ts'
import { tool } from './tool.ts'
import { aboutFile, readBytes, writeText } from './workspace.ts'

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
    const { bytes, size } = await namingNear(workspace, path, () => readBytes(workspace, path, mostBytes))
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
  const [before, after] = asInFile(text, ...withoutNumbers(text, old_text, new_text))
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

/** The line numbers that read_file shows are none of the file, though models copy them. */
function withoutNumbers(text: string, before: string, after: string): [string, string] {
  const lines = before.replace(/\n$/, '').split('\n')
  if (text.includes(before) || !lines.every((line) => lineNumber.test(line))) return [before, after]
  const bare = (part: string) => part.replace(new RegExp(lineNumber, 'gm'), '')
  return [bare(before), bare(after)]
}

const lineNumber = /^ *\d+\t/

/** What stands where the text is most like: the next edit can be made of it. */
function notFound(text: string, part: string): string {
  const lines = text.split(/\r?\n/)
  const wanted = part.replace(/^\n+|\n+$/g, '').split(/\r?\n/)
  const at = nearestPlace(lines, wanted)
  if (at === -1) return 'does not contain old_text, or anything like it: read the file again'
  return `does not contain old_text exactly. What is most like it there:\n${shownLines(lines, at - 2, wanted.length + 4)}\nTake old_text from these lines, without their numbers`
}
