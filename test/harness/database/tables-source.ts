import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from '@babel/parser'

/** A column as its type in `db/tables/` declares it. */
type DeclaredColumn = { type: string; nullable: boolean; generated: boolean }

const folder = fileURLToPath(new URL('../../../src/platform/db/', import.meta.url))

/**
 * Parses the sources of the types, which do not exist when a test runs.
 * @returns columns by table and name.
 */
export function declaredTables(): Record<string, Record<string, DeclaredColumn>> {
  const types = new Map<string, Node>()
  for (const file of globSync(['tables.ts', 'tables/*.ts'], { cwd: folder })) {
    const { program } = parse(readFileSync(join(folder, file), 'utf8'), {
      sourceType: 'module',
      plugins: ['typescript'],
    })
    for (const statement of program.body) {
      const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      if (declaration?.type === 'TSTypeAliasDeclaration') types.set(declaration.id.name, declaration.typeAnnotation)
    }
  }
  return members(types.get('Tables'), types, (table) => members(table, types, declaredColumn))
}

type Node = { type: string; [field: string]: any }

/** The members of a type that is a literal, a name of the file, or a combination of such types. */
function members<T>(
  typeNode: Node | undefined,
  types: ReadonlyMap<string, Node>,
  read: (type: Node) => T,
): Record<string, T> {
  if (typeNode?.type === 'TSIntersectionType')
    return Object.assign({}, ...typeNode.types.map((part: Node) => members(part, types, read)))
  if (typeNode?.type === 'TSTypeReference') return members(types.get(typeNode.typeName.name), types, read)
  if (typeNode?.type !== 'TSTypeLiteral')
    throw new Error(`db/tables.ts cannot be parsed: expected a type literal, got ${typeNode?.type}`)
  return Object.fromEntries(
    typeNode.members.map(({ key, typeAnnotation }: Node) => [key.name, read(typeAnnotation.typeAnnotation)]),
  )
}

function declaredColumn(type: Node): DeclaredColumn {
  if (type.type === 'TSTypeReference' && type.typeName.name === 'Generated') {
    return { ...declaredColumn(type.typeParameters.params[0]), generated: true }
  }
  const parts: Node[] = type.type === 'TSUnionType' ? type.types : [type]
  const names = parts.map((part) => part.type.replace(/^TS|Keyword$/g, '').toLowerCase())
  const values = names.filter((name) => name !== 'null')
  return { type: values.join(' | '), nullable: values.length < names.length, generated: false }
}
