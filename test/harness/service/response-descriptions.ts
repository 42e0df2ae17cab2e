import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Schema = { [keyword: string]: unknown }
type Media = { [type: string]: { schema?: Schema } }
type Described = { $ref?: string; headers?: { [name: string]: unknown }; content?: Media }
type Operation = { tags: string[]; responses: { [status: string]: Described } }
type Document = {
  paths: { [path: string]: { [method: string]: Operation } }
  components: { responses: { [name: string]: Described }; schemas: { [name: string]: Schema } }
}

type ObservedResponse = { status: number; headers: Headers; body: string }

/** A difference between a response and the API description. */
type ResponseFault = { part: 'status' | 'headers' | 'body' | 'events'; text: string }

/** The responses that the API description allows for one operation. */
export type ResponseDescription = { listFaults: (response: ObservedResponse) => ResponseFault[] }

/** Headers that HTTP, caches, proxies and browsers define for any response. They say nothing about one operation. */
const generalHeaders = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['cache-control', 'vary', 'www-authenticate', 'x-accel-buffering'],
  ...['access-control-allow-origin', 'access-control-expose-headers'],
  ...['content-security-policy', 'referrer-policy', 'x-content-type-options', 'x-frame-options', 'x-robots-tag'],
])

/**
 * Reads the API description. @returns the description of each operation by its method and path, such as `GET /keys/:hash`.
 * HEAD is described as GET.
 */
export function createResponseDescriptions(
  api: object,
  toPath: (described: string) => string,
): Map<string, ResponseDescription> {
  const document = closeObjects(structuredClone(api)) as Document
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false })
  ajv.addSchema({ $id: 'api:', components: document.components })
  const described = new Map<string, ResponseDescription>()
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`
      const description = describeResponses(name, operation, document, ajv)
      described.set(`${method.toUpperCase()} ${toPath(path)}`, description)
      if (method === 'get') described.set(`HEAD ${toPath(path)}`, description)
    }
  return described
}

/** Forbids other fields in each object schema that does not allow them. */
function closeObjects(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(closeObjects)
  const schema = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closeObjects(part)]))
  const isOpen = typeof schema.properties !== 'object' || 'additionalProperties' in schema || schema.type !== 'object'
  return isOpen ? schema : { ...schema, additionalProperties: false }
}

function describeResponses(name: string, operation: Operation, document: Document, ajv: Ajv2020): ResponseDescription {
  const validators = new Map<string, ValidateFunction>()
  const validatorFor = (key: string, schema: Schema) => {
    const found = validators.get(key) ?? ajv.compile(withAbsoluteRefs(schema))
    validators.set(key, found)
    return found
  }
  return {
    listFaults({ status, headers, body }) {
      const where = `${name} ${status}`
      const described = resolve(operation.responses[status], document)
      if (!described)
        return [
          { part: 'status', text: `${where}: the status is not described. The response was ${body.slice(0, 200)}` },
        ]
      const headerFaults = [...headers.keys()]
        .filter((header) => !generalHeaders.has(header) && !(header in (described.headers ?? {})))
        .map((header): ResponseFault => ({ part: 'headers', text: `${where}: the header ${header} is not described` }))
      const type = headers.get('content-type')?.split(';', 1)[0]
      // A completion passes on the bytes of a provider with the same protocol, whatever it omits.
      const isPassedOn = operation.tags.includes('completions') && status === 200
      if (type === undefined || body === '' || isPassedOn) return headerFaults
      const schema = described.content?.[type]?.schema
      if (!schema) return [...headerFaults, { part: 'headers', text: `${where}: the type ${type} is not described` }]
      const validate = validatorFor(`${status} ${type}`, schema)
      const part = type === 'text/event-stream' ? 'events' : 'body'
      const invalid = readValues(type, body).flatMap((value): ResponseFault[] => {
        if (validate(value)) return []
        return [{ part, text: `${where}: ${describeErrors(validate)} in ${JSON.stringify(value).slice(0, 400)}` }]
      })
      return [...headerFaults, ...invalid]
    },
  }
}

function resolve(described: Described | undefined, document: Document): Described | undefined {
  return described?.$ref ? document.components.responses[described.$ref.split('/').at(-1)!] : described
}

const withAbsoluteRefs = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api:#/'))

/** The values of a body that its schema describes: the JSON, or the data of each event. */
function readValues(type: string, body: string): unknown[] {
  if (type === 'application/json') return [JSON.parse(body)]
  if (type !== 'text/event-stream') return []
  const lines = body.split('\n').filter((line) => line.startsWith('data: '))
  return lines
    .map((line) => line.slice('data: '.length))
    .flatMap((data) => (data === '[DONE]' ? [] : [JSON.parse(data)]))
}

function describeErrors({ errors }: ValidateFunction): string {
  const texts = (errors ?? []).map(({ instancePath, message, params }) => {
    const { additionalProperty } = params as { additionalProperty?: string }
    return `${instancePath} ${message}${additionalProperty === undefined ? '' : ` (${additionalProperty})`}`
  })
  return [...new Set(texts)].slice(0, 6).join('; ')
}
