import type { Chance } from './chance.ts'

export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001\u001f\u007f',
  '\ud800',
  'x\udc00y',
  '\u202e\u2028\ufeff',
  '😀'.repeat(300),
  'ß'.repeat(1001),
  'x'.repeat(100_000),
  '__proto__',
  'constructor',
  'toString',
  "'; drop table api_keys; --",
  '%00',
  '%',
  '%zz',
  '%c0%ae%c0%ae/',
  '../../etc/passwd',
  '{{7*7}}',
  '<script>]]></script>&amp;',
  '(a+)+$',
  '(?<=x)(\\1)',
  '[',
  'true',
  'null',
  'NaN',
  '-0',
  '1e999',
  '9223372036854775808',
  '0x10',
  '1_000',
  '2026-13-45T99:99:99Z',
  '9999-12-31T23:59:59.999Z',
  '-271821-04-20T00:00:00.000Z',
  '00000000-0000-0000-0000-000000000000',
  'a,b,,c',
  ','.repeat(500),
  '@preset/x',
  'signalbox/demo',
  'a/b:c@d',
  `sb-v1-${'0'.repeat(64)}`,
]

const hostileNumbers = [
  0,
  -0,
  -1,
  1,
  0.1,
  1e-7,
  1e21,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  Number.MAX_VALUE,
]

/** Any JSON value, nested a little. */
export function hostileValue(chance: Chance, depth = 0): unknown {
  const kind = chance.below(depth > 3 ? 4 : 7)
  if (kind === 0) return chance.pick([null, true, false])
  if (kind === 1) return chance.pick(hostileNumbers)
  if (kind < 4) return chance.pick(hostileTexts)
  if (kind === 4) return Array.from({ length: chance.below(4) }, () => hostileValue(chance, depth + 1))
  if (kind === 5) return Array.from({ length: chance.pick([17, 1000]) }, () => chance.pick(hostileTexts.slice(0, 6)))
  const names = Array.from({ length: chance.below(4) }, () => chance.pick([...hostileTexts, 'type', 'id', 'slug']))
  return Object.fromEntries(names.map((name) => [name, hostileValue(chance, depth + 1)]))
}

type Schema = Record<string, any>

/** A value that mostly obeys a JSON schema, so that it gets past the gate and into the house. */
export function valueFor(schema: Schema, root: Schema, chance: Chance, depth = 0): unknown {
  if (chance.often(0.015) || depth > 6) return hostileValue(chance)
  if (schema.$ref) return valueFor(referred(schema.$ref, root), root, chance, depth + 1)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return valueFor(chance.pick(choices), root, chance, depth)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return chance.pick(schema.enum)
  switch (schema.type) {
    case 'object':
      return objectFor(schema, root, chance, depth)
    case 'array':
      return Array.from({ length: chance.below(4) }, () => valueFor(schema.items ?? {}, root, chance, depth + 1))
    case 'string':
      return textFor(schema, chance)
    case 'integer':
    case 'number':
      return numberFor(schema, chance)
    case 'boolean':
      return chance.often(0.5)
    case 'null':
      return null
    default:
      return hostileValue(chance, depth)
  }
}

function referred(ref: string, root: Schema): Schema {
  return ref === '#' ? root : (root.$defs?.[ref.split('/').at(-1)!] ?? {})
}

function objectFor(schema: Schema, root: Schema, chance: Chance, depth: number): object {
  const required = new Set<string>(schema.required ?? [])
  const chosen = Object.entries<Schema>(schema.properties ?? {}).filter(([name]) =>
    chance.often(required.has(name) ? 0.98 : 0.3),
  )
  const object = Object.fromEntries(chosen.map(([name, inner]) => [name, valueFor(inner, root, chance, depth + 1)]))
  if (chance.often(0.1)) object[chance.pick(hostileTexts)] = hostileValue(chance)
  return object
}

function textFor(schema: Schema, chance: Chance): string {
  if (schema.format === 'uuid') return chance.pick(['00000000-0000-4000-8000-000000000000', 'nonsense'])
  if (schema.format === 'date-time') return chance.pick(['2030-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])
  if (chance.often(0.5)) return chance.pick(['a', 'signalbox/demo', 'openai', 'some-name', 'email'])
  return chance.pick(hostileTexts).slice(0, schema.maxLength ?? 200)
}

function numberFor({ minimum = -5, maximum = 1e6, type }: Schema, chance: Chance): number {
  const within = minimum + chance.next() * (Math.min(maximum, 1e6) - minimum)
  return chance.often(0.2) ? chance.pick(hostileNumbers) : type === 'integer' ? Math.round(within) : within
}
