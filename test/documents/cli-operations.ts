import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Field, Operation } from '#cli/api-commands/operation.ts'

/**
 * Makes the table of operations for the command line from openapi.json. "npm run openapi" runs this file as a program, which
 * writes the table; with `--check` it only reports a stale table.
 */
type Schema = {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  type?: string | string[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  default?: unknown
}
type Content = { content?: Record<string, { schema?: Schema }>; description?: string }
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
type Described = {
  tags: [string]
  operationId: string
  summary: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
}
type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

const [source, target] = ['openapi.json', 'src/cli/api-commands/operations.json'].map((file) =>
  fileURLToPath(new URL(`../../${file}`, import.meta.url)),
) as [string, string]

const json = 'application/json'

/** The ID of a model is two parameters of a path, but one word for a person. */
const modelPath = '{author}/{slug}'
const modelField: Field = {
  in: 'path',
  type: 'string',
  help: 'ID of the model, such as "openai/gpt-5.2"',
  isRequired: true,
  hasSlash: true,
}

function operationsOf(document: Document): Record<string, Operation> {
  const resolved = (schema: Schema | undefined): Schema => {
    if (schema?.$ref) return resolved(document.components.schemas[schema.$ref.split('/').pop()!])
    if (schema?.allOf?.length === 1) return { ...resolved(schema.allOf[0]), ...schema }
    return schema ?? {}
  }

  function fieldOf(place: Field['in'], schema: Schema, isRequired = false, about?: string): Field {
    const whole = resolved(schema)
    const options = (whole.anyOf ?? [whole]).map(resolved)
    const types = options.flatMap(({ type }) => type ?? [])
    const one = options.find(({ type }) => type !== 'null') ?? whole
    const several = options.filter(({ type }) => type !== 'null').length > 1
    const help = (about ?? schema.description ?? whole.description ?? one.description ?? '')
      .replace(/\.$/, '')
      .replaceAll('`', '"')
    const byDefault = schema.default ?? whole.default
    const choices = (one.type === 'array' ? resolved(one.items) : one).enum?.filter(
      (value) => typeof value === 'string',
    )
    return {
      in: place,
      // A parameter is text, whatever a program makes of it.
      type: several || typeOf(one) === 'json' ? (place === 'body' ? 'json' : 'string') : typeOf(one),
      ...(help && { help }),
      ...(isRequired && { isRequired }),
      ...(types.includes('null') && { isNullable: true }),
      ...(choices?.length && { choices }),
      ...(['string', 'number', 'boolean'].includes(typeof byDefault) && { default: byDefault as string }),
    }
  }

  function typeOf({ type, items }: Schema): Field['type'] {
    const name = [type ?? []].flat().find((one) => one !== 'null')
    if (name === 'array') {
      const item = resolved(items).type
      return item === 'string' ? 'list' : item === 'integer' || item === 'number' ? 'numbers' : 'json'
    }
    return name === 'string' || name === 'number' || name === 'integer' || name === 'boolean' ? name : 'json'
  }

  function operation(method: string, path: string, described: Described): Operation {
    const { tags, summary, security, parameters = [], requestBody, responses } = described
    const body = requestBody?.content && resolved(requestBody.content[json]?.schema)
    const [, response] = Object.entries(responses).find(([code]) => /^[23]/.test(code))!
    const data = resolved(resolved(response.content?.[json]?.schema).properties?.data)
    const isOfModel = path.includes(modelPath)
    const fields = [
      ...(isOfModel ? [['model', modelField] as const] : []),
      ...parameters
        .filter((one) => one.in !== 'header' && !(isOfModel && one.in === 'path'))
        .map((one) => [one.name, fieldOf(one.in as Field['in'], one.schema, one.required, one.description)] as const),
      ...Object.entries(body?.properties ?? {}).map(
        ([name, schema]) => [name, fieldOf('body', schema, body?.required?.includes(name))] as const,
      ),
    ]
    return {
      method: method.toUpperCase() as Operation['method'],
      path: path.replace(modelPath, '{model}'),
      tag: tags[0],
      summary,
      needsManagementKey: JSON.stringify(security[0]) === '{"management_key":[]}',
      creates: '201' in responses,
      fields: Object.fromEntries(fields),
      response: responseKindOf(response, data),
      ...(data.type === 'array' && { columns: columnsOf(resolved(data.items)) }),
    }
  }

  function responseKindOf({ content }: Content, data: Schema): Operation['response'] {
    const type = Object.keys(content ?? {})[0]
    if (type === json) return data.type === 'array' ? 'list' : 'object'
    return type === undefined
      ? 'nothing'
      : type === 'text/event-stream'
        ? 'stream'
        : /^text/.test(type)
          ? 'text'
          : 'file'
  }

  const columnsOf = ({ properties = {} }: Schema) =>
    Object.entries(properties)
      .filter(([, schema]) => !['json', 'list', 'numbers'].includes(fieldOf('body', schema).type))
      .map(([name]) => name)

  return Object.fromEntries(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // Programs send prompts; at the terminal, "chat" does.
        .filter(([, one]) => one.tags[0] !== 'completions')
        .map(([method, one]) => [one.operationId, operation(method, path, one)]),
    ),
  )
}

/** JSON as the formatter writes it: on one line if it fits. */
function textOf(value: unknown, indent = '', used = 0): string {
  const isList = Array.isArray(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keyed = Object.entries(value).map(([name, item]) => [isList ? '' : `${JSON.stringify(name)}: `, item] as const)
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', ' ']
  if (keyed.length === 0) return open + close
  const line = `${open}${space}${keyed.map(([key, item]) => key + textOf(item, '', -1e6)).join(', ')}${space}${close}`
  // The comma after it counts.
  if (used + line.length < 120) return line
  const inner = `${indent}  `
  const lines = keyed.map(([key, item]) => inner + key + textOf(item, inner, inner.length + key.length))
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

/** The table as openapi.json gives it. */
export const wantedTable = () => `${textOf(operationsOf(JSON.parse(readFileSync(source, 'utf8'))))}\n`
export const checkedInTable = () => readFileSync(target, 'utf8')

if (import.meta.main) writeFileSync(target, wantedTable())
