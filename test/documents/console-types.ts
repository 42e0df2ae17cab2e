import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The types of the API for the console, made from openapi.json: a route that changes there breaks the console's build.
 * As a program it writes them; with `--check` it only reports whether they are up to date.
 */
type Schema = {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  type?: string | string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}
type Content = { content?: Record<string, { schema?: Schema }>; required?: boolean }
type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Operation = { parameters?: Parameter[]; requestBody?: Content; responses: Record<string, Content> }
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

const [source, target] = ['openapi.json', 'console/api/types.ts'].map((file) =>
  fileURLToPath(new URL(`../../${file}`, import.meta.url)),
) as [string, string]

const json = 'application/json'

function typesOf(document: Document): string {
  const named = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`,
  )
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `  '${method.toUpperCase()} ${path}': ${routeType(operation)}\n`,
    ),
  )
  return `// Written by "npm run openapi" from openapi.json. Do not change it by hand.\n${named.join('')}\nexport type Routes = {\n${routes.join('')}}\n`
}

function routeType({ parameters = [], requestBody, responses }: Operation): string {
  const ofPlace = (place: string) => {
    const found = parameters.filter((parameter) => parameter.in === place)
    const members = found.map(
      ({ name, required, schema }) => `${quoted(name)}${required ? '' : '?'}: ${typeOf(schema)}`,
    )
    return found.length > 0 ? `{ ${members.join('; ')} }` : 'undefined'
  }
  const bodySchema = requestBody?.content?.[json]?.schema
  // A route without a body accepts `{}`, which some clients always send. The console sends none.
  const isEmpty = requestBody?.required === false && Object.keys(bodySchema?.properties ?? {}).length === 0
  const body = isEmpty ? undefined : bodySchema
  const response = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content?.[json]?.schema
  const members = [
    `params: ${ofPlace('path')}`,
    `query: ${ofPlace('query')}`,
    `body: ${body ? typeOf(body) : 'undefined'}`,
    `response: ${response ? typeOf(response) : 'undefined'}`,
  ]
  return `{ ${members.join('; ')} }`
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1)!
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const several = schema.anyOf ?? schema.oneOf
  if (several) return union(several.map(typeOf))
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })))
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `(${typeOf(schema.items ?? {})})[]`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  if (members.length === 0) return `{ [name: string]: ${others} }`
  return `{ ${members.join('; ')} }`
}

const union = (types: string[]) => [...new Set(types)].join(' | ')
const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value)
const quoted = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`)

if (import.meta.main) {
  const text = typesOf(JSON.parse(readFileSync(source, 'utf8')) as Document)
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (readFileSync(target, 'utf8') !== text) {
    console.error('console/api/types.ts is not what openapi.json says: run "npm run openapi".')
    process.exit(1)
  }
}
