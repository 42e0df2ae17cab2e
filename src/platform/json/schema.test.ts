import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as zod from 'zod'
import { defaultOf, z } from './schema.ts'

/** Counts the schemas that Zod creates during `act`. */
async function madeDuring(act: () => unknown): Promise<number> {
  let made = 0
  const config = zod.config() as { postProcessor?: () => void }
  config.postProcessor = () => void made++
  try {
    await act()
  } finally {
    delete config.postProcessor
  }
  return made
}

test('a schema is created once, at its first use', async () => {
  let schema!: z.ZodType
  const written = await madeDuring(() => {
    const fields = z.strictObject({ name: z.string().min(1).describe('A name.') }).meta({ description: 'One.' })
    schema = z.array(fields.extend({ kind: z.enum(['a', 'b']).default('a'), ...fields.shape }))
  })
  assert.equal(written, 0)
  assert.ok((await madeDuring(() => assert.deepEqual(schema.parse([{ name: 'x' }]), [{ name: 'x', kind: 'a' }]))) > 4)
  assert.equal(await madeDuring(() => assert.equal(schema.safeParse([{}]).success, false)), 0)
})

test('a schema made late is the one that Zod would have made', () => {
  const write = (from: typeof z) => {
    const Named = from.object({ id: from.uuid(), at: from.iso.datetime() }).meta({ description: 'Has a name.' })
    const pair = from.discriminatedUnion('type', [
      from.looseObject({ type: from.literal('a'), n: from.coerce.number().int().min(1) }),
      from.object({ type: from.literal('b'), all: from.record(from.string(), Named.nullable()) }),
    ])
    return from.object({ pair, one: Named.partial().optional(), list: from.array(from.union([Named, from.null()])) })
  }
  const [late, early] = [write(z), write(zod as unknown as typeof z)]
  assert.deepEqual(z.toJSONSchema(late, { io: 'input' }), zod.toJSONSchema(early, { io: 'input' }))
  for (const value of [
    {},
    { pair: { type: 'a', n: '2' }, list: [null] },
    { pair: { type: 'b', all: { x: 1 } }, list: 1 },
  ])
    assert.deepEqual(
      [late.safeParse(value).data, late.safeParse(value).error?.issues],
      [early.safeParse(value).data, early.safeParse(value).error?.issues],
    )
})

test('a schema has every member that Zod gives its kinds', () => {
  const kinds = (from: typeof z): z.ZodType[] => [
    ...[from.string(), from.number(), from.boolean(), from.array(from.string()), from.enum(['a']), from.literal('a')],
    ...[from.object({}), from.record(from.string(), from.string()), from.union([from.string()]), from.stringbool()],
    ...[
      from.string().optional(),
      from.string().default(''),
      from.iso.datetime(),
      from.preprocess(String, from.string()),
    ],
  ]
  const late = kinds(z)
  for (const [at, early] of kinds(zod as unknown as typeof z).entries()) {
    const missing = new Set<string>()
    for (let owner: object = early; owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
      for (const name of Object.getOwnPropertyNames(owner)) if (!(name in late[at]!)) missing.add(name)
    assert.deepEqual([...missing], [], early.type)
    // Members that only some schemas have, and that code tests for.
    for (const name of ['unwrap', 'element', 'options', 'keyof'] as const)
      assert.equal(typeof Reflect.get(late[at]!, name), typeof Reflect.get(early, name), `${early.type}.${name}`)
  }
})

test('a default is known before its schema is made', async () => {
  const defaults = () =>
    [
      z.int().default(3).describe('Three.'),
      z.string().optional(),
      z
        .int()
        .default(3)
        .refine(() => true),
    ].map(defaultOf)
  assert.equal(await madeDuring(() => assert.deepEqual(defaults(), [3, undefined, undefined])), 0)
})
