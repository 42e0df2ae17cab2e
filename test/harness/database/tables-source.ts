import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from '@babel/parser'

/** A column as `db/tables.ts` says it is. */
export type SaidColumn = { type: string; nullable: boolean; generated: boolean }

const file = fileURLToPath(new URL('../../../src/platform/db/tables.ts', import.meta.url))

/** Types are gone when a test runs, so they are read from their source: columns by name, by table. */
export function tablesAsSaid(): Record<string, Record<string, SaidColumn>> {
  const { program } = parse(readFileSync(file, 'utf8'), { sourceType: 'module', plugins: ['typescript'] })
  const types = new Map<string, Node>()
  for (const statement of program.body) {
    const said = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (said?.type === 'TSTypeAliasDeclaration') types.set(said.id.name, said.typeAnnotation)
  }
  return members(types.get('Tables'), types, (table) => members(table, types, columnAsSaid))
}

type Node = { type: string; [field: string]: any }

/** Of a type that is written out, goes by a name of the file, or is put together of such. */
function members<T>(
  of: Node | undefined,
  types: ReadonlyMap<string, Node>,
  read: (type: Node) => T,
): Record<string, T> {
  if (of?.type === 'TSIntersectionType')
    return Object.assign({}, ...of.types.map((part: Node) => members(part, types, read)))
  if (of?.type === 'TSTypeReference') return members(types.get(of.typeName.name), types, read)
  if (of?.type !== 'TSTypeLiteral') throw new Error(`db/tables.ts is not read: ${of?.type} for a literal`)
  return Object.fromEntries(
    of.members.map(({ key, typeAnnotation }: Node) => [key.name, read(typeAnnotation.typeAnnotation)]),
  )
}

function columnAsSaid(type: Node): SaidColumn {
  if (type.type === 'TSTypeReference' && type.typeName.name === 'Generated') {
    return { ...columnAsSaid(type.typeParameters.params[0]), generated: true }
  }
  const parts: Node[] = type.type === 'TSUnionType' ? type.types : [type]
  const names = parts.map((part) => part.type.replace(/^TS|Keyword$/g, '').toLowerCase())
  const values = names.filter((name) => name !== 'null')
  return { type: values.join(' | '), nullable: values.length < names.length, generated: false }
}
