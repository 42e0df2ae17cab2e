import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContentTruncator } from './content-truncator.ts'

test('text that fits is unchanged', () => {
  const cutter = new ContentTruncator(1000)
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Grüße' },
        { type: 'x', n: 1, none: null },
      ],
    },
  ]
  assert.deepEqual(cutter.copyMessages(messages), messages)
  assert.equal(cutter.isTruncated, false)
})

test('a long text keeps its beginning, in whole characters, and says how much is gone', () => {
  for (const most of [10, 11, 12, 13]) {
    const cutter = new ContentTruncator(most)
    const [, beginning = '', omitted] = /^(.*)… \[cut: (\d+) characters omitted\]$/.exec(
      cutter.copyText('aé'.repeat(50)),
    )!
    assert.match(beginning, /^(aé)+a?$/)
    assert.equal(beginning.length + Number(omitted), 100)
    assert.ok(Buffer.byteLength(beginning) <= most && cutter.isTruncated)
  }
})

test('the last messages stay, with the number of omitted ones', () => {
  const messages = Array.from({ length: 1000 }, (_, at) => ({ role: 'user', content: `message ${at}` }))
  const stored = new ContentTruncator(500).copyMessages(messages) as typeof messages
  assert.deepEqual(stored.at(-1), messages.at(-1))
  const removedCount = Number(/(\d+) earlier messages/.exec(stored[0]!.content)?.[1])
  assert.equal(removedCount + stored.length - 1, 1000)
})

test('bytes that are written as text are omitted, whatever room there is', () => {
  const cutter = new ContentTruncator(1_000_000)
  const url = `data:image/png;base64,${'A'.repeat(5000)}`
  const [message] = cutter.copyMessages([{ content: [{ image_url: { url } }] }]) as [
    { content: [{ image_url: { url: string } }] },
  ]
  assert.equal(message.content[0].image_url.url, 'data:image/png;base64,… [cut: 5000 characters omitted]')
  assert.ok(cutter.isTruncated)
})

test('a long text that begins like a data URL is kept', () => {
  const text = `data: {"choices": []}\n\n${'data: {"a": 1, "b": 2}\n\n'.repeat(100)}`
  const cutter = new ContentTruncator(1_000_000)
  assert.equal(cutter.copyText(text), text)
  assert.equal(cutter.isTruncated, false)
})

test('a million small parts are not all kept', () => {
  const stored = new ContentTruncator(1000).copyMessages([{ content: Array.from({ length: 1_000_000 }, () => ({})) }])
  assert.ok(JSON.stringify(stored).length < 2000)
})
