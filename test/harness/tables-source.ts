import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from '@babel/parser'

/** A column as `db/tables.ts` says it is. */
export type SaidColumn = { type: string; nullable: boolean; generated: boolean }

const file = fileURLToPath(new URL('../../src/db/tables.ts', import.meta.url))

/** Types are gone when a test runs, so they are read from their source: columns by name, by table. */
export function tablesAsSaid(): Record<string, Record<string, SaidColumn>> {
  const { program } = parse(readFileSync(file, 'utf8'), { sourceType: 'module', plugins: ['typescript'] })
  const found = program.body.flatMap((statement) => {
    const said = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined
    return said?.type === 'TSTypeAliasDeclaration' && said.id.name === 'Tables' ? [said.typeAnnotation] : []
  })
  return members(found[0], (table) => members(table, columnAsSaid))
}

type Node = { type: string; [field: string]: any }

function members<T>(literal: Node | undefined, read: (type: Node) => T): Record<string, T> {
  if (literal?.type !== 'TSTypeLiteral') throw new Error(`db/tables.ts is not read: ${literal?.type} for a literal`)
  return Object.fromEntries(
    literal.members.map(({ key, typeAnnotation }: Node) => [key.name, read(typeAnnotation.typeAnnotation)]),
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
