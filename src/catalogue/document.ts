import { LineCounter, parseDocument } from 'yaml'
import { CatalogueRefused } from './layer.ts'

/** A parsed file that still knows where everything stood. */
export type SourceDocument = {
  value: unknown
  /** The line of the value at a path, or of the nearest one around it. */
  lineOf: (path: readonly PropertyKey[]) => number | undefined
}

/** Reads JSON at JSON's speed and everything else as YAML. @throws CatalogueRefused naming the line. */
export function parseSource(text: string, source: string): SourceDocument {
  const json = asJson(text)
  if (json === undefined) return parseYaml(text, source)
  let slow: SourceDocument | undefined
  const lineOf = (path: readonly PropertyKey[]) => {
    slow ??= parseYaml(text, source)
    return slow.lineOf(path)
  }
  return { value: json, lineOf }
}

function asJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseYaml(text: string, source: string): SourceDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, maxAliasCount: 1000 } as never)
  const broken = document.errors[0]
  if (broken) {
    const line = lines.linePos(broken.pos[0]).line
    const reason = broken.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '')
    throw new CatalogueRefused(`${source} is neither YAML nor JSON: line ${line}: ${reason}.`)
  }
  return {
    value: document.toJS(),
    lineOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined
        if (node?.range) return lines.linePos(node.range[0]).line
      }
      return undefined
    },
  }
}
