import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { upstreamProtocols } from '#test/harness/upstream/recorded-providers.ts'
import { type Asked, type Asker, type Body, pathOf, startAsker } from '../recordings/asker.ts'
import { complaints } from '../recordings/described.ts'
import { geminiAsChat } from '../recordings/gemini-as-chat.ts'
import { noRecordings, type Recording, readRecordings } from '../recordings/recordings.ts'
import { type Complaint, rows } from '../recordings/refusals.ts'
import { faultsIn } from '../recordings/rules.ts'

type Case = { name: string; own: Protocol; client: Protocol; asked: Asked }

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
        const told = await inWords(client, recording)
        const asked = 'refused' in told ? told : await asker.ask(client, upstream, told.sent)
        cases.push({ name: recording.name, own: recording.protocol, client, asked })
      }
    return cases
  }

  function isKnown(complaint: Complaint): boolean {
    const row = rows.find(({ where }) => where(complaint))
    if (row) met.add(row)
    return row !== undefined
  }

  for (const upstream of upstreamProtocols)
    test(`${upstream}: requests of all clients match its description`, async () => {
      const cases = await casesFor(upstream)
      const bodies = cases.flatMap(({ asked }) => ('sent' in asked ? [asked.sent] : []))
      const odd = await complaints(upstream, [...new Set(bodies)])
      const wrong: string[] = []
      for (const { name, own, client, asked } of cases) {
        const refused = 'refused' in asked
        const all = refused ? [asked.refused] : [odd.get(asked.sent) ?? [], faultsIn(upstream, asked.sent)].flat()
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
