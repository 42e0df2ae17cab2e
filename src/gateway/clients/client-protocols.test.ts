import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { z } from 'zod'
import { chatClientProtocols } from './client-protocols.ts'

for (const { operation, conversation, toChat } of chatClientProtocols) {
  test(`${operation.path}: its conversation is in the field that filters read`, () => {
    assert.ok(conversation in operation.request.shape)
    const { messages } = toChat({ model: 'a/b', [conversation]: [{ role: 'user', content: 'Hi' }] })
    assert.match(JSON.stringify(messages), /"Hi"/)
  })
}

type Definition = { type: string; checks?: { _zod: { def: { check: string } } }[]; catchall?: z.ZodType }

/** Kinds of schemas that return their input unchanged, if the schemas within them do. */
const plain =
  'string number int boolean null unknown any literal enum array object record union optional nullable lazy custom'

/** All schemas within a schema, each once. */
function partsOf(schema: z.ZodType, found = new Set<z.ZodType>()): Set<z.ZodType> {
  if (found.has(schema)) return found
  found.add(schema)
  const { def } = schema._zod as unknown as { def: Record<string, unknown> }
  const below = def.type === 'lazy' ? [(def.getter as () => unknown)()] : Object.values(def)
  const inside = below.flatMap((part) =>
    isSchema(part) || typeof part !== 'object' ? part : Object.values(part ?? {}),
  )
  for (const part of inside) if (isSchema(part)) partsOf(part, found)
  return found
}

const isSchema = (part: unknown): part is z.ZodType =>
  typeof part === 'object' && part !== null && '_zod' in part && 'safeParse' in part

for (const { operation } of chatClientProtocols) {
  test(`${operation.path}: its schema returns bodies unchanged`, () => {
    const parts = [...partsOf(operation.request)]
    assert.ok(parts.length > Object.keys(operation.request.shape).length, `${parts.length} schemas`)
    for (const part of parts) {
      const { type, checks = [], catchall } = part._zod.def as unknown as Definition
      assert.ok(plain.split(' ').includes(type), `a schema is ${type}`)
      if (type === 'object') assert.equal(catchall?._zod.def.type, 'unknown')
      for (const { _zod } of checks) assert.notEqual(_zod.def.check, 'overwrite')
    }
  })
}
