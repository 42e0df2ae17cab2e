/**
 * Random histories of creations, changes, lists and deletions of every kind of managed object. The expected answers follow the
 * text of the specification and of the API description, not the code.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chance, chanceFrom } from '../../fuzz/chance.ts'
import { onEachDatabase } from '../../harness/database/databases.ts'
import { type Reply, startTestService, type TestService } from '../../harness/service/service.ts'
import { type ManagedKind, managedKinds } from './managed-kinds.ts'

const rounds = Number(process.env.MANAGEMENT_ROUNDS ?? 75)
const seed = Number(process.env.MANAGEMENT_SEED ?? 1)

type Fields = Record<string, any>
type Stored = { id: string; data: Fields; etag: string | null }
type Send = { key?: string | null; body?: unknown; headers?: Record<string, string> }

/** One kind of object of a service, with its objects as they must be now. */
type History = { service: TestService; kind: ManagedKind; chance: Chance; objects: Stored[]; number: () => number }

/** Sends a request. Every answer has a request id, and every error the form of the specification. */
async function send({ service, kind }: History, method: string, path: string, options: Send = {}): Promise<Reply> {
  // Interns belong to the holder of an API key.
  const key = kind.isBare ? service.apiKey : service.managementKey
  const reply = await service.ask(method, path, { key, ...options })
  const where = `${method} ${path} ${JSON.stringify(options.body)}`
  assert.ok(reply.headers.get('x-request-id'), where)
  if (reply.status < 400) return reply
  const { error, ...others } = reply.body
  assert.deepEqual(others, {}, where)
  assert.equal(error.code, reply.status, where)
  assert.equal(typeof error.message, 'string', where)
  assert.ok(reply.status < 500, `${where}: ${error.message}`)
  return reply
}

const itemPath = ({ kind }: History, id: string) => `${kind.path}/${id}`
const dataOf = ({ kind }: History, { body }: Reply): Fields => (kind.isBare ? body : body.data)

function expectFields({ kind }: History, data: Fields, sent: Fields, where: string): void {
  for (const name of kind.echoes) if (name in sent) assert.deepEqual(data[name], sent[name], `${where}: ${name}`)
}

async function create(history: History): Promise<void> {
  const { kind, chance, objects, number } = history
  const { slug, ...rest } = kind.body(chance, number())
  const body = kind.createPath ? rest : { ...rest, ...(slug && { slug }) }
  const path = kind.createPath?.({ slug }) ?? kind.path
  const reply = await send(history, 'POST', path, { body })
  assert.equal(reply.status, kind.created, `${kind.name}: ${reply.text}`)
  const data = dataOf(history, reply)
  expectFields(history, data, body, `created ${kind.name}`)
  objects.push({ id: kind.idOf(data), data, etag: null })
}

async function read(history: History): Promise<void> {
  const { kind, chance, objects } = history
  if (objects.length === 0 || kind.name === 'member') return
  const stored = chance.pick(objects)
  const reply = await send(history, 'GET', itemPath(history, stored.id))
  assert.equal(reply.status, 200)
  expectFields(history, dataOf(history, reply), stored.data, `read ${kind.name}`)
  const etag = reply.headers.get('etag')
  if (kind.hasEtag) assert.ok(etag, `${kind.name} has an ETag`)
  if (stored.etag) assert.equal(etag, stored.etag, `the ETag of an unchanged ${kind.name}`)
  stored.etag = etag
}

async function update(history: History): Promise<void> {
  const { kind, chance, objects, number } = history
  if (objects.length === 0) return
  const stored = chance.pick(objects)
  const body = kind.patch(chance, number())
  const before = kind.hasEtag ? (await send(history, 'GET', itemPath(history, stored.id))).headers.get('etag') : null
  const condition = chance.pick(['none', 'current', 'any', 'stale'])
  const tags: Record<string, string> = { current: before!, any: '*', stale: '"stale"' }
  const headers: Record<string, string> = kind.hasEtag && condition !== 'none' ? { 'if-match': tags[condition]! } : {}
  const reply = await send(history, 'PATCH', itemPath(history, stored.id), { body, headers })
  // RFC 9110 allows success if the change has been applied already (decision 212). Every change of a guardrail is recorded.
  const isSkipped =
    kind.name !== 'guardrail' &&
    Object.entries(body).every(([name, value]) => JSON.stringify(stored.data[name]) === JSON.stringify(value))
  if (kind.hasEtag && condition === 'stale') {
    assert.equal(reply.status, isSkipped ? 200 : 412, `${kind.name}: ${reply.text}`)
    stored.etag = before
    return
  }
  assert.equal(reply.status, 200, `${kind.name} ${JSON.stringify(body)}: ${reply.text}`)
  const data = dataOf(history, reply)
  expectFields(history, data, body, `changed ${kind.name}`)
  const { slug, ...sent } = body
  stored.data = { ...stored.data, ...data, ...sent }
  stored.etag = kind.hasEtag ? reply.headers.get('etag') : null
  if (kind.hasEtag) assert.ok(stored.etag, `a changed ${kind.name} has an ETag`)
}

async function remove(history: History): Promise<void> {
  const { kind, chance, objects } = history
  if (objects.length < 3 || !kind.hasDelete) return
  const index = chance.below(objects.length)
  const { id } = objects[index]!
  if (kind.hasEtag) {
    const stale = await send(history, 'DELETE', itemPath(history, id), { headers: { 'if-match': '"stale"' } })
    assert.equal(stale.status, 412, `delete ${kind.name}: ${stale.text}`)
  }
  const reply = await send(history, 'DELETE', itemPath(history, id))
  assert.equal(reply.status, 200, `delete ${kind.name}: ${reply.text}`)
  assert.equal((await send(history, 'DELETE', itemPath(history, id))).status, 404)
  if (kind.name !== 'member') assert.equal((await send(history, 'GET', itemPath(history, id))).status, 404)
  objects.splice(index, 1)
}

const idsOf = ({ kind }: History, { body }: Reply): string[] => body.data.map((data: Fields) => kind.idOf(data))

/** Pages of any size are parts of one list, which has each object once. */
async function list(history: History): Promise<void> {
  const { kind, chance, objects } = history
  const separator = '?'
  const hidden = kind.name === 'key' ? '&include_disabled=true' : ''
  if (kind.isCursorList) return listByCursor(history)
  const all = await send(history, 'GET', `${kind.path}${separator}limit=100${hidden}`)
  const ids = idsOf(history, all)
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(all.body.total_count, ids.length)
  for (const { id } of objects) assert.ok(ids.includes(id), `${kind.name} ${id} is listed`)
  const [offset, limit] = [chance.below(ids.length + 3), 1 + chance.below(7)]
  const page = await send(history, 'GET', `${kind.path}?offset=${offset}&limit=${limit}${hidden}`)
  assert.deepEqual(idsOf(history, page), ids.slice(offset, offset + limit), `${kind.name} ${offset} ${limit}`)
  assert.equal(page.body.total_count, ids.length)
}

async function listByCursor(history: History): Promise<void> {
  const { kind, chance, objects } = history
  const ids: string[] = []
  const limit = 1 + chance.below(9)
  for (let cursor: string | undefined; ; ) {
    const after = cursor === undefined ? '' : `&starting_after=${encodeURIComponent(cursor)}`
    const { status, body } = await send(history, 'GET', `${kind.path}?limit=${limit}${after}`)
    assert.equal(status, 200)
    ids.push(...body.data.map((data: Fields) => kind.idOf(data)))
    assert.equal(body.has_more, body.next_cursor !== undefined)
    if (!body.has_more) break
    assert.equal(body.data.length, limit)
    cursor = body.next_cursor
  }
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids.toSorted(), objects.map(({ id }) => id).toSorted())
}

/** Refusals name what is wrong, and change nothing. */
async function refuse(history: History): Promise<void> {
  const { kind, chance, objects, number } = history
  const stored = objects.length > 0 ? chance.pick(objects) : undefined
  const path = stored ? itemPath(history, stored.id) : kind.path
  const method = stored ? 'PATCH' : 'POST'
  const [wrong, meant] = kind.misspelt
  const misspelt = await send(history, method, path, {
    body: { ...(stored ? {} : kind.body(chance, number())), [wrong]: 1 },
  })
  if (method === 'PATCH' || !kind.createPath) {
    assert.equal(misspelt.status, 400, `${kind.name} ${wrong}: ${misspelt.text}`)
    for (const name of [wrong, meant]) assert.ok(misspelt.body.error.message.includes(`"${name}"`), misspelt.text)
  }
  if (stored) {
    const [body, field] = chance.pick(kind.invalid)
    const reply = await send(history, 'PATCH', path, { body })
    assert.equal(reply.status, 400, `${kind.name} ${JSON.stringify(body)}: ${reply.text}`)
    assert.ok(reply.body.error.message.includes(field), `${JSON.stringify(body)}: ${reply.text}`)
  }
  const parameter = chance.pick(
    kind.isCursorList
      ? ['limit=0', 'limit=x', 'limit=1.5']
      : ['limit=0', 'limit=x', 'offset=-1', 'offset=1.5', 'limit=100000', 'limit='],
  )
  const badPage = await send(history, 'GET', `${kind.path}?${parameter}`)
  assert.equal(badPage.status, 400, `${kind.name} ${parameter}: ${badPage.text}`)
  assert.ok(badPage.body.error.message.includes(parameter.split('=')[0]), badPage.text)
}

/** Keys that are missing, unknown or of the wrong kind, and bodies that are not JSON objects. */
async function refuseCallers(history: History): Promise<void> {
  const { kind, chance, objects, service } = history
  const paths = [
    kind.path,
    ...objects.slice(0, 1).map(({ id }) => (kind.name === 'member' ? kind.path : itemPath(history, id))),
  ]
  const path = chance.pick(paths)
  assert.equal((await send(history, 'GET', path, { key: null })).status, 401)
  assert.equal(
    (await send(history, 'GET', path, { key: chance.pick(['sb-v1-00', 'x', `sb-v1-${'0'.repeat(64)}`]) })).status,
    401,
  )
  const otherKey = kind.isBare ? service.managementKey : service.apiKey
  const expected = kind.isBare ? 401 : kind.apiKeyStatus
  const other = await send(history, 'POST', kind.createPath?.({ slug: 'any' }) ?? kind.path, {
    key: otherKey,
    body: {},
  })
  if (expected) assert.equal(other.status, expected, `${kind.name}: ${other.text}`)
  else assert.ok([401, 403].includes(other.status))
  const target = kind.createPath?.({ slug: 'any' }) ?? kind.path
  for (const body of [[], 'text', 5, null]) assert.equal((await send(history, 'POST', target, { body })).status, 400)
  const form = await send(history, 'POST', target, { body: {}, headers: { 'content-type': 'text/plain' } })
  assert.equal(form.status, kind.createPath ? 400 : 415, `${kind.name}: ${form.text}`)
  const id = chance.pick(['00000000-0000-4000-8000-000000000000', 'nothing'])
  if (kind.name === 'member') return
  const missing = await send(history, 'GET', itemPath(history, id))
  assert.ok([404, 400].includes(missing.status), `${kind.name} ${id}: ${missing.text}`)
  if (id !== 'nothing') assert.equal(missing.status, 404)
}

/** A repeated creation with the same key is the same object; with another body it is a conflict. */
async function repeatCreation(history: History): Promise<void> {
  const { kind, chance, objects, number } = history
  if (kind.name !== 'intern') return
  const headers = { 'idempotency-key': `key-${number()}` }
  const body = kind.body(chance, number())
  const first = await send(history, 'POST', kind.path, { body, headers })
  assert.equal(first.status, 201)
  objects.push({ id: first.body.id, data: first.body, etag: null })
  const second = await send(history, 'POST', kind.path, { body, headers })
  assert.deepEqual([second.status, second.body], [200, first.body])
  const other = await send(history, 'POST', kind.path, { body: kind.body(chance, number()), headers })
  assert.equal(other.status, 409, other.text)
}

const steps = [create, create, read, update, update, list, list, refuse, refuseCallers, remove, repeatCreation]

onEachDatabase('managed objects', (database) => {
  for (const kind of managedKinds)
    test(`${kind.name}: random requests are answered as specified`, async () => {
      await using service = await startTestService({ kind: database, strictResponses: true })
      let count = 0
      const chance = chanceFrom(seed)
      const history: History = { service, kind, chance, objects: [], number: () => ++count }
      if (kind.isBare === undefined && kind.name !== 'member') history.objects.length = 0
      for (let round = 0; round < rounds; round++) await chance.pick(steps)(history)
    })
})
