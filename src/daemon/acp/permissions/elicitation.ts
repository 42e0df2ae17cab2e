import type { FormField } from '#interns/contract/form.ts'
import { readProperty } from '../rpc-message.ts'

export type Form = { message: string; fields: FormField[] }

/** A field, and its options by their titles, which the message of the question shows. */
type TitledField = FormField & { optionsByTitle?: Map<string, string> }

/** Reads a question as a form. Undefined if it requires a value of an unsupported type. */
export function readElicitation(params: unknown): Form | undefined {
  const message = readText(readProperty(params, 'message')) ?? 'The intern asks for an answer.'
  const mode = readProperty(params, 'mode') ?? 'form'
  if (mode === 'url') {
    const url = readText(readProperty(params, 'url'))
    return url ? { message: `${message}\n\nOpen ${url} and accept when you are done.`, fields: [] } : undefined
  }
  if (mode !== 'form') return undefined
  const schema = readProperty(params, 'requestedSchema')
  const required = readProperty(schema, 'required')
  const fields: FormField[] = []
  const notes: string[] = []
  for (const [name, property] of Object.entries(readProperty(schema, 'properties') ?? {})) {
    const isRequired = Array.isArray(required) && required.includes(name)
    const titled = readField(name, property, isRequired)
    if (!titled && isRequired) return undefined
    if (!titled) continue
    const { optionsByTitle: _, ...field } = titled
    fields.push(field)
    const note = describeField(titled, property)
    if (note) notes.push(`- ${name}: ${note}`)
  }
  const heading = [readText(readProperty(schema, 'title')), readText(readProperty(schema, 'description'))].filter(
    (part) => part !== undefined,
  )
  return { message: [message, ...heading, notes.join('\n')].filter(Boolean).join('\n\n'), fields }
}

function readField(name: string, property: unknown, required: boolean): TitledField | undefined {
  const type = readType(property)
  const base = { name, required }
  switch (type) {
    case 'string':
      return { ...base, type, ...readTextLimits(property), ...readOptions(property) }
    case 'number':
    case 'integer':
      return { ...base, type, ...readLimit(property, 'minimum'), ...readLimit(property, 'maximum') }
    case 'boolean':
      return { ...base, type }
    case 'array': {
      const options = readOptions(readProperty(property, 'items'))
      return (
        options && { ...base, type, ...options, ...readLimit(property, 'minItems'), ...readLimit(property, 'maxItems') }
      )
    }
    default:
      return undefined
  }
}

/** Reads the type of a value. Schemas of MCP servers can add `null` to it, or omit it beside the options. */
function readType(property: unknown): unknown {
  const type = readProperty(property, 'type')
  if (Array.isArray(type)) return type.find((one) => one !== 'null')
  if (type !== undefined) return type
  if (readOptions(property)) return 'string'
  const variants = readProperty(property, 'anyOf')
  return Array.isArray(variants) ? variants.map(readType).find((one) => one !== 'null') : undefined
}

function readTextLimits(property: unknown): Partial<FormField> {
  const pattern = readText(readProperty(property, 'pattern'))
  const format = readText(readProperty(property, 'format'))
  const limits = { ...readLimit(property, 'minLength'), ...readLimit(property, 'maxLength') }
  return { ...limits, ...(pattern && { pattern }), ...(format && { format }) }
}

/** Reads the values to choose from: `enum`, with titles in `enumNames`, or `oneOf`/`anyOf` with titles. */
function readOptions(schema: unknown): { options: string[]; optionsByTitle?: Map<string, string> } | undefined {
  const titled = readTitledOptions(schema)
  const untitled = readProperty(schema, 'enum')
  const values = titled ? titled.map((item) => readProperty(item, 'const')) : Array.isArray(untitled) ? untitled : []
  const options = values.filter((value) => typeof value === 'string')
  if (options.length === 0) return undefined
  const optionsByTitle = new Map<string, string>()
  for (const item of titled ?? []) {
    const value = readText(readProperty(item, 'const'))
    const title = readText(readProperty(item, 'title'))
    // A title that is also a value, or the title of another option, would describe two options.
    if (value && title && !options.includes(title) && !optionsByTitle.has(title)) optionsByTitle.set(title, value)
  }
  return { options, ...(titled && { optionsByTitle }) }
}

function readTitledOptions(schema: unknown): unknown[] | undefined {
  const titled = readProperty(schema, 'oneOf') ?? readProperty(schema, 'anyOf')
  if (Array.isArray(titled)) return titled
  const [values, titles] = [readProperty(schema, 'enum'), readProperty(schema, 'enumNames')]
  if (!Array.isArray(values) || !Array.isArray(titles)) return undefined
  return values.map((value, at) => ({ const: value, title: titles[at] }))
}

/** Describes what the caller does not see in the field itself: titles, limits and the default. */
function describeField(field: TitledField, property: unknown): string {
  const introduction = [readText(readProperty(property, 'title')), readText(readProperty(property, 'description'))]
  const titledOptions = [...(field.optionsByTitle ?? [])].map(
    ([title, value]) => `${value} = ${title}${optionDescription(property, value)}`,
  )
  const limits = [
    describeRange('characters', field.minLength, field.maxLength),
    describeRange('', field.minimum, field.maximum),
    describeRange('choices', field.minItems, field.maxItems),
    field.pattern && `matching ${field.pattern}`,
    field.format && `a ${field.format}`,
    describeDefault(property),
  ]
  return [...introduction.filter((part) => part && part !== field.name), titledOptions.join(', '), ...limits]
    .filter(Boolean)
    .join('; ')
}

function optionDescription(property: unknown, value: string): string {
  const titled = readTitledOptions(property) ?? readTitledOptions(readProperty(property, 'items'))
  const option = titled?.find((item) => readProperty(item, 'const') === value)
  const description = readText(readProperty(option, 'description'))
  return description ? ` (${description})` : ''
}

function describeRange(unitName: string, from: number | undefined, to: number | undefined): string {
  const unit = unitName && ` ${unitName}`
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
  if (from !== undefined) return `at least ${from}${unit}`
  return to !== undefined ? `at most ${to}${unit}` : ''
}

function describeDefault(property: unknown): string {
  const value = readProperty(property, 'default')
  return value === undefined || value === null ? '' : `default ${JSON.stringify(value)}`
}

function readLimit(property: unknown, key: keyof FormField): Partial<FormField> {
  const value = readProperty(property, key)
  return typeof value === 'number' && Number.isFinite(value) ? { [key]: value } : {}
}

const readText = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)
