import { routes } from '#api/routes/routes.ts'
import { z } from '#platform/json/schema.ts'
import { type Chance, chanceFrom } from './chance.ts'
import { hostileTexts, hostileValue, valueFor } from './values.ts'

/** Existing objects that a request can name. */
export type Known = {
  keys: string[]
  /** By the first segment of a path, what its first parameters may be. */
  things: Record<string, string[][]>
}

/** The bytes to send; `whole` when they are a request that must be answered, not one broken off or in garbage. */
export type FuzzRequest = { bytes: Buffer; whole: boolean; about: string }

type Target = { method: string; path: string; query: string[]; body: object | undefined }

const schemaOf = (type: z.ZodType): object => z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' })

const targets: Target[] = routes.map(({ method, path, request }) => ({
  method: method.toUpperCase(),
  path,
  query: request?.query ? Object.keys((schemaOf(request.query) as any).properties ?? {}) : [],
  body: request?.body && schemaOf(request.body),
}))

/** One request, always the same for the same seed. */
export function fuzzRequest(seed: number, objects: Known): FuzzRequest {
  const chance = chanceFrom(seed)
  if (chance.often(0.03)) return { bytes: garbage(chance), whole: false, about: 'garbage' }
  const target = chance.pick(targets)
  const method = chance.often(0.9)
    ? target.method
    : chance.pick(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'])
  const start = `${method} ${pathOf(target, chance, objects)}${queryOf(target, chance)} HTTP/1.1`
  const body = method === 'GET' && chance.often(0.9) ? undefined : bodyOf(target, chance)
  const lines = [start, 'host: fuzz', 'connection: close', ...headersOf(chance, objects)]
  return framed(lines, body, chance, `${method} ${target.path}`)
}

function pathOf({ path, method }: Target, chance: Chance, objects: Known): string {
  if (chance.often(0.04)) return `/${raw(chance.pick(hostileTexts))}`
  const real = objects.things[path.split('/')[1] ?? '']
  // A deleted object is not a target of later requests.
  const hits = real && chance.often(method === 'DELETE' ? 0.03 : 0.7) ? [...chance.pick(real)] : []
  const filled = path.replace(/\{\w+\}/g, () => {
    const hit = hits.shift()
    if (hit !== undefined) return encodeURIComponent(hit)
    const text = chance.pick(hostileTexts).slice(0, 2000)
    return chance.often(0.5) ? encodeURIComponent(text.toWellFormed()) : raw(text)
  })
  return `/api/v1${filled}${chance.often(0.03) ? chance.pick(['/', '//', '/..', '/%2e%2e', ';x']) : ''}`
}

/** As it is, but for what would end the request line. */
const raw = (text: string) => text.replace(/[\s\0]/g, '%20').slice(0, 2000)

function queryOf({ query }: Target, chance: Chance): string {
  if (chance.often(0.5)) return ''
  const pairs = Array.from({ length: chance.below(4) }, () => {
    const name = query.length && chance.often(0.9) ? chance.pick(query) : chance.pick(hostileTexts).slice(0, 50)
    const values = [...hostileTexts.slice(0, 9), ...hostileTexts.slice(11), '1', '5', '100', 'text', 'newest', 'true']
    const value = chance.pick(values).slice(0, 500)
    return chance.often(0.7)
      ? `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`
      : `${raw(name)}${chance.pick(['=', '[]=', '[a]=', ''])}${raw(value)}`
  })
  return `?${pairs.join(chance.pick(['&', '&', '&&', ';']))}`
}

function headersOf(chance: Chance, { keys }: Known): string[] {
  const lines: string[] = []
  const junk = () => chance.pick(['', 'x', ',,,', '*', 'é', '"', ';q=', 'gzip;q=9', 'W/"', '0'.repeat(3000)])
  if (chance.often(0.9)) lines.push(`authorization: Bearer ${chance.pick(keys)}`)
  if (chance.often(0.05)) lines.push(`authorization: ${junk()}`)
  for (const name of [
    'accept-encoding',
    'if-none-match',
    'x-request-id',
    'accept',
    'idempotency-key',
    'x-session-id',
  ]) {
    if (chance.often(0.08)) lines.push(`${name}: ${junk()}`)
  }
  if (chance.often(0.03)) lines.push(...Array.from({ length: 300 }, (_, index) => `x-${index}: y`))
  return lines
}

function bodyOf({ body }: Target, chance: Chance): string {
  if (chance.often(0.06))
    return chance.pick(['', '{', '[', 'nonsense', '\u0000', '{"a":1}{"b":2}', '"', '1', 'null', '[]'])
  if (chance.often(0.03)) return '['.repeat(100_000)
  if (chance.often(0.03)) return `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
  if (chance.often(0.03)) return '{"__proto__":{"admin":true},"constructor":{"prototype":{}},"name":"n"}'
  const json = JSON.stringify(body ? valueFor(body, body, chance) : hostileValue(chance)) ?? ''
  return chance.often(0.05) ? json.replace('"', '') : json
}

/** How the body is declared and sent: mostly as it should be. */
function framed(lines: string[], body: string | undefined, chance: Chance, about: string): FuzzRequest {
  const bytes = Buffer.from(body ?? '')
  if (body !== undefined) {
    const type = chance.often(0.95)
      ? 'application/json'
      : chance.pick(['text/plain', 'json', ';', 'application/json;x'])
    lines.push(`content-type: ${type}`)
  }
  const how =
    body === undefined ? 'none' : chance.often(0.9) ? 'length' : chance.pick(['chunked', 'short', 'lying', 'both'])
  const send = (more: string[], ...parts: (Buffer | string)[]): Buffer =>
    Buffer.concat(
      [...lines, ...more, '', '']
        .map((line, at, all) => Buffer.from(at < all.length - 1 ? `${line}\r\n` : line, 'latin1'))
        .concat(parts.map((part) => Buffer.from(part as string))),
    )
  switch (how) {
    case 'none':
      return { bytes: send([]), whole: true, about }
    case 'length':
      return { bytes: send([`content-length: ${bytes.length}`], bytes), whole: true, about }
    case 'chunked': {
      const chunk = `${bytes.length.toString(16)}\r\n`
      const end = bytes.length > 0 ? '\r\n0\r\n\r\n' : '\r\n'
      return { bytes: send(['transfer-encoding: chunked'], chunk, bytes, end), whole: true, about }
    }
    case 'short':
      return { bytes: send([`content-length: ${bytes.length + 10}`], bytes), whole: false, about }
    case 'lying':
      return { bytes: send(['transfer-encoding: chunked'], 'zz\r\n', bytes), whole: false, about }
    default:
      return { bytes: send(['content-length: 5', 'transfer-encoding: chunked'], bytes), whole: false, about }
  }
}

function garbage(chance: Chance): Buffer {
  const noise = Buffer.from(Array.from({ length: chance.below(400) }, () => chance.below(256)))
  const starts = [
    '',
    'GET ',
    'GET / HTTP/1.1\r\n',
    'POST /api/v1/keys HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]
  return Buffer.concat([Buffer.from(chance.pick(starts)), noise])
}
