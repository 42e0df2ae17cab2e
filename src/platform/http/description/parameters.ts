import type { z } from 'zod'
import type { DescribedRoute, Examples } from './described-route.ts'
import type { JsonSchema, SchemaRegistry } from './json-schema.ts'

export function pathParameters(
  path: string,
  params: z.ZodType | undefined,
  registry: SchemaRegistry,
  example: Examples[string],
): object[] {
  const schemas = readProperties(params, registry)
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(example.params?.[name] !== undefined && { example: example.params[name] }),
    ...describedSchema(schemas[name] ?? { type: 'string' }),
  }))
}

export function queryParameters(query: z.ZodType | undefined, registry: SchemaRegistry): object[] {
  const required = ((query && registry.schemaOf(query, 'input').required) ?? []) as string[]
  return Object.entries(readProperties(query, registry)).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...describedSchema(schema),
  }))
}

export function preconditions({ ifMatch, canCreate }: DescribedRoute): object[] {
  if (!ifMatch) return []
  const { kind } = ifMatch
  const match = `The \`ETag\` of the ${kind}. If it was changed since, the request is refused with 412 and changes nothing.`
  const noneMatch = `\`*\` only creates the ${kind}. If it exists, the request is refused with 412 and changes nothing.`
  return [
    { name: 'if-match', in: 'header', description: match, schema: { type: 'string', minLength: 1 } },
    ...(canCreate ? [{ name: 'if-none-match', in: 'header', description: noneMatch, schema: { type: 'string' } }] : []),
  ]
}

/** The headers of requests that repeat or continue an earlier one. */
export function repetitions({ isIdempotent, isCacheable, hasRanges }: DescribedRoute): object[] {
  const idempotency =
    'A repeated request with the same key and body returns the object of the first one, with status 200. With another body it is a conflict.'
  const noneMatch = 'The `ETag` of an earlier response. If the response is the same, it is 304 without a body.'
  return [
    ...(isIdempotent
      ? [
          {
            name: 'idempotency-key',
            in: 'header',
            description: idempotency,
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ]
      : []),
    ...(isCacheable
      ? [{ name: 'if-none-match', in: 'header', description: noneMatch, schema: { type: 'string' } }]
      : []),
    ...(hasRanges
      ? [
          { name: 'range', in: 'header', description: 'The part to return: `bytes=0-99`.', schema: { type: 'string' } },
          {
            name: 'if-range',
            in: 'header',
            description: 'An `ETag`. If the file has changed since, the whole file is returned.',
            schema: { type: 'string' },
          },
        ]
      : []),
  ]
}

function readProperties(schema: z.ZodType | undefined, registry: SchemaRegistry): Record<string, JsonSchema> {
  return (schema && (registry.schemaOf(schema, 'input').properties as Record<string, JsonSchema>)) ?? {}
}

/** OpenAPI puts the description of a parameter beside its schema, not into it. */
function describedSchema({ description, ...schema }: JsonSchema): object {
  return { description, schema }
}
