import type { Document, Media, Operation, Schema } from './shape.ts'

type Placed = { method: string; path: string; operation: Operation }

export function operationHtml({ method, path, operation }: Placed, document: Document): string {
  const { operationId, summary, description = '', parameters, requestBody, responses } = operation
  const answers = Object.entries(responses)
  const successes = answers.filter(([status]) => status.startsWith('2'))
  const failures = answers.filter(([status]) => !status.startsWith('2'))
  return `<details id="${operationId}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(path)}</code>
<span>${escaped(summary)}</span></summary><p>${htmlOf(description)}</p><p>Key: ${keyOf(operation)}. Operation: <code>${operationId}</code>.</p>
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters.map((one) => [one.name, `${one.in}${one.required ? ', required' : ''}`, typeOf(one.schema), one.description ?? '']))}` : ''}
${requestBody ? `<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${mediaHtml(requestBody.content, document)}` : ''}
${successes.map(([status, { content }]) => `<h4>Answer ${status}</h4>${content ? mediaHtml(content, document) : ''}`).join('')}
<h4>Errors</h4>${table(failures.map(([status, answer]) => [status, descriptionOf(answer, document)]))}</details>`
}

const names: Record<string, string> = {
  api_key: 'an API key',
  management_key: 'a management key',
  browser_session: 'a browser’s session',
  csrf_token: 'its token',
}

const keyOf = ({ security }: Operation) =>
  security
    .map((one) =>
      Object.keys(one)
        .map((name) => names[name] ?? name)
        .join(' with '),
    )
    .join(' or ') || 'none'

function descriptionOf({ $ref, description }: { $ref?: string; description?: string }, document: Document): string {
  return description ?? document.components.responses[$ref?.split('/').at(-1) ?? '']?.description ?? ''
}

function mediaHtml(content: Media, document: Document): string {
  return Object.entries(content)
    .map(([type, { schema, example }]) => {
      const fields = fieldsOf(schema, document)
      const exampleHtml = example === undefined ? '' : `<pre>${escaped(JSON.stringify(example, null, 2))}</pre>`
      return `<p><code>${type}</code>: ${escaped(typeOf(schema))}</p>${fields.length > 0 ? table(fields) : ''}${exampleHtml}`
    })
    .join('')
}

function fieldsOf(schema: Schema, document: Document): string[][] {
  const { properties = {}, required = [] } = resolved(schema, document)
  return Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? 'required' : '',
    typeOf(field),
    field.description ?? resolved(field, document).description ?? '',
  ])
}

function resolved(schema: Schema, { components }: Document): Schema {
  return (schema.$ref && components.schemas[schema.$ref.split('/').at(-1)!]) || schema
}

/** Describes a schema in a few words. */
function typeOf({ $ref, type, enum: values, const: constant, items, anyOf, oneOf, allOf }: Schema): string {
  if ($ref) return $ref.split('/').at(-1)!
  const parts = anyOf ?? oneOf ?? allOf
  if (parts) return [...new Set(parts.map(typeOf))].join(' or ')
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (items) return `array of ${typeOf(items)}`
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'anything')
}

function table(rows: string[][]): string {
  const cells = ([name = '', ...more]: string[]) =>
    `<tr><td><code>${escaped(name)}</code></td>${more.map((text) => `<td>${htmlOf(text)}</td>`).join('')}</tr>`
  return `<table>${rows.map(cells).join('')}</table>`
}

/** Renders text; backquotes mark code. */
const htmlOf = (text: string) => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const characters: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => characters[character]!)
