import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { simulatedProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type Asked, type Asker, type Body, pathOf, startAsker } from '../../recordings/asker.ts'
import { complaints } from '../../recordings/described.ts'
import { geminiAsChat } from '../../recordings/gemini-as-chat.ts'
import { noRecordings, type Recording, readRecordings } from '../../recordings/recordings.ts'
import { type Complaint, rows } from '../../recordings/refusals.ts'
import { faultsIn } from '../../recordings/rules.ts'

type Case = { name: string; own: Protocol; client: Protocol; request: Asked }

const clients = Object.keys(pathOf) as Protocol[]

describe('recorded requests to real providers', { skip: noRecordings }, () => {
  const recordings = noRecordings ? [] : readRecordings().filter(({ request }) => request !== null)
  const met = new Set<object>()
  let asker: Asker
  before(async () => {
    asker = await startAsker()
  })
  after(() => asker[Symbol.asyncDispose]())

  /** The request in this client's protocol; the service itself translates requests of other protocols. */
  const inWordsOf = new Map<string, Promise<Asked>>()
  function inWords(client: Protocol, { name, protocol, request }: Recording): Promise<Asked> {
    const isGeminis = protocol === 'google-gemini'
    const from = isGeminis ? 'openai-chat' : protocol
    const body: Body = isGeminis ? geminiAsChat(request!) : { ...request, stream: false, stream_options: undefined }
    const put = async (): Promise<Asked> => (from === client ? { sent: body } : asker.ask(from, client, body))
    return inWordsOf.getOrInsertComputed(`${client} ${name}`, put)
  }

  async function casesFor(upstream: Protocol): Promise<Case[]> {
    const cases: Case[] = []
    for (const recording of recordings)
      for (const client of clients) {
        const response = await inWords(client, recording)
        const request = 'refused' in response ? response : await asker.ask(client, upstream, response.sent)
        cases.push({ name: recording.name, own: recording.protocol, client, request })
      }
    return cases
  }

  function isKnown(complaint: Complaint): boolean {
    const row = rows.find(({ where }) => where(complaint))
    if (row) met.add(row)
    return row !== undefined
  }

  for (const upstream of simulatedProtocols)
    test(`${upstream}: requests of all clients match its description`, async () => {
      const cases = await casesFor(upstream)
      const bodies = cases.flatMap(({ request }) => ('sent' in request ? [request.sent] : []))
      const odd = await complaints(upstream, [...new Set(bodies)])
      const wrong: string[] = []
      for (const { name, own, client, request } of cases) {
        const refused = 'refused' in request
        const all = refused ? [request.refused] : [odd.get(request.sent) ?? [], faultsIn(upstream, request.sent)].flat()
        for (const words of all)
          if (!isKnown({ own, client, upstream, refused, words })) wrong.push(`${client} ${name}: ${words}`)
      }
      assert.ok(bodies.length > 1000, 'most requests arrive')
      assert.ok(wrong.length === 0, wrong.join('\n'))
    })

  test('every reason not to arrive is the reason of some', () => {
    assert.deepEqual(
      rows.filter((row) => !met.has(row)).map(({ why }) => why),
      [],
    )
  })
})
