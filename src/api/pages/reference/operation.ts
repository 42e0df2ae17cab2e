import { escapeHtml } from '#platform/http/response/html-page.ts'
import type { Document, Media, Operation, Schema } from './shape.ts'

type PathOperation = { method: string; path: string; operation: Operation }

/** Renders one operation, which the reader can unfold. */
export function operationHtml({ method, path, operation }: PathOperation, document: Document): string {
  const { operationId, summary, description = '', parameters, requestBody, responses } = operation
  const rows = Object.entries(responses)
  const successes = rows.filter(([status]) => status.startsWith('2'))
  const failures = rows.filter(([status]) => !status.startsWith('2'))
  return `<details id="${operationId}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code>
<span>${escapeHtml(summary)}</span></summary><p>${toHtml(description)}</p><p>Key: ${describeSecurity(operation)}. Operation: <code>${operationId}</code>.</p>
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters.map(parameterRow))}` : ''}
${requestBody ? `<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${mediaHtml(requestBody.content, document)}` : ''}
${successes.map(([status, { content }]) => `<h4>Answer ${status}</h4>${content ? mediaHtml(content, document) : ''}`).join('')}
<h4>Errors</h4>${table(failures.map(([status, response]) => [status, responseDescription(response, document)]))}</details>`
}

const parameterRow = ({ name, in: location, required, schema, description = '' }: Operation['parameters'][number]) => [
  name,
  `${location}${required ? ', required' : ''}`,
  describeType(schema),
  description,
]

const securityNames: Record<string, string> = {
  api_key: 'an API key',
  management_key: 'a management key',
  browser_session: 'a browser’s session',
  csrf_token: 'its token',
}

const describeSecurity = ({ security }: Operation) =>
  security
    .map((schemes) =>
      Object.keys(schemes)
        .map((name) => securityNames[name] ?? name)
        .join(' with '),
    )
    .join(' or ') || 'none'

function responseDescription(
  { $ref, description }: { $ref?: string; description?: string },
  document: Document,
): string {
  return description ?? document.components.responses[nameInRef($ref ?? '')]?.description ?? ''
}

function mediaHtml(content: Media, document: Document): string {
  return Object.entries(content)
    .map(([type, { schema, example }]) => {
      const fields = fieldsOf(schema, document)
      const exampleHtml = example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`
      return `<p><code>${type}</code>: ${escapeHtml(describeType(schema))}</p>${fields.length > 0 ? table(fields) : ''}${exampleHtml}`
    })
    .join('')
}

function fieldsOf(schema: Schema, document: Document): string[][] {
  const { properties = {}, required = [] } = resolveRef(schema, document)
  return Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? 'required' : '',
    describeType(field),
    field.description ?? resolveRef(field, document).description ?? '',
  ])
}

/** Returns the last part of a reference: `Key` of `#/components/schemas/Key`. */
const nameInRef = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

function resolveRef(schema: Schema, { components }: Document): Schema {
  return (schema.$ref && components.schemas[nameInRef(schema.$ref)]) || schema
}

/** Describes a schema in a few words. */
function describeType({ $ref, type, enum: values, const: constant, items, anyOf, oneOf, allOf }: Schema): string {
  if ($ref) return nameInRef($ref)
  const parts = anyOf ?? oneOf ?? allOf
  if (parts) return [...new Set(parts.map(describeType))].join(' or ')
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (items) return `array of ${describeType(items)}`
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'anything')
}

/** The first cell of each row is a name. */
function table(rows: string[][]): string {
  const row = ([name = '', ...texts]: string[]) =>
    `<tr><td><code>${escapeHtml(name)}</code></td>${texts.map((text) => `<td>${toHtml(text)}</td>`).join('')}</tr>`
  return `<table>${rows.map(row).join('')}</table>`
}

/** Renders text; backquotes mark code. */
const toHtml = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
