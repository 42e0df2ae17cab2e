/** Facts that an engineer can derive from a tool's message alone. */

export const failed = (message: string) => message.startsWith('Error')

/** The file in a message that is most likely meant by a wrong path; undefined if the message names none. */
export function pathIn(message: string, wrongPath: string): string | undefined {
  const named = message.replaceAll(wrongPath, '').match(/[\w@-][\w.@-]*(?:\/[\w.@-]+)*\.\w+/g) ?? []
  return named.find((path) => alike(nameOf(path), nameOf(wrongPath)))
}

const nameOf = (path: string) => path.split('/').at(-1)!.toLowerCase()
const bareName = (name: string) => name.replace(/\.\w+$/, '').replace(/[^a-z0-9]/g, '')
const alike = (one: string, other: string) => one === other || bareName(one) === bareName(other)

/** The lines of a file that a message shows: with their numbers before them, or quoted. */
function linesIn(message: string): string[] {
  const numbered = [...message.matchAll(/^\d+\t(.*)$/gm)].map(([, line]) => line!)
  const quoted = (message.match(/"(?:[^"\\\n]|\\.)*"/g) ?? []).flatMap((text) => {
    try {
      return [JSON.parse(text) as string]
    } catch {
      return []
    }
  })
  return [...numbered, ...quoted]
}

/** The line of the file in place of `wrong`, as far as the message shows it. */
export function lineIn(message: string, wrong: string): string | undefined {
  const texts = linesIn(message).filter((line) => line !== wrong)
  const best = texts
    .map((line) => ({ line, likeness: likeness(line, wrong) }))
    .sort((a, b) => b.likeness - a.likeness)[0]
  return best && best.likeness >= 0.5 ? best.line : undefined
}

const wordsOf = (line: string) => new Set(line.match(/\w+|[^\w\s]/g) ?? [])

function likeness(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  return (2 * a.intersection(b).size) / (a.size + b.size)
}
