import type { ParsedNode } from 'yaml'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { CatalogueError } from '../layer.ts'

/** A parsed file with the line numbers of its members. */
type SourceDocument = {
  value: unknown
  /** Returns the line of the member at a path, or else of the nearest member that contains it. */
  findLine: (path: readonly PropertyKey[]) => number | undefined
}

/** Parses JSON, which is faster, or else YAML. @throws CatalogueError naming the line. */
export function parseSource(text: string, source: string): SourceDocument {
  const value = /^\s*\{/.test(text) ? parseJsonOr(text, undefined) : undefined
  if (value === undefined) return parseYaml(text, source)
  let yaml: SourceDocument | undefined
  const findLine = (path: readonly PropertyKey[]) => {
    yaml ??= parseYaml(text, source)
    return yaml.findLine(path)
  }
  return { value, findLine }
}

function parseYaml(text: string, source: string): SourceDocument {
  const { LineCounter, parseDocument } = lazyModules.yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false })
  const firstError = document.errors[0]
  if (firstError) {
    const { line } = lines.linePos(firstError.pos[0])
    throw new CatalogueError(`${source} is neither YAML nor JSON: line ${line}: ${firstError.message.split('\n')[0]}.`)
  }
  return {
    // -1 disables the limit, because the file is the operator's own, and can use an alias for each of many models.
    value: document.toJS({ maxAliasCount: -1 }),
    findLine(path) {
      for (let length = path.length; length > 0; length--) {
        const parent = document.getIn(path.slice(0, length - 1), true)
        const offset = findOffset(parent as ParsedNode | undefined, path[length - 1]!)
        if (offset !== undefined) return lines.linePos(offset).line
      }
      return undefined
    },
  }
}

/** Returns the position of a member. In a map it is the position of the key. */
function findOffset(parent: ParsedNode | undefined, member: PropertyKey): number | undefined {
  if (!lazyModules.yaml().isMap(parent))
    return (parent as { items?: ParsedNode[] } | undefined)?.items?.[Number(member)]?.range?.[0]
  const pair = parent.items.find(({ key }) => String((key as { value?: unknown }).value) === String(member))
  return (pair?.key as ParsedNode | undefined)?.range?.[0]
}
